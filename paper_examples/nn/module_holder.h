// ModuleHolder: shared ownership of a module that is called like a function. LibTorch's form, where
// `Linear` is the holder and `LinearImpl` the module.
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "autograd/error.h"

namespace notape::nn {

/// The base of all holders, which distinguishes them from other classes.
struct ModuleHolderBase {};

template <typename Module>
class ModuleHolder : public ModuleHolderBase {
 public:
  using Impl = Module;
  using ContainedType = Module;

  /// Makes an Impl from the arguments.
  template <typename... Arguments>
  requires(std::constructible_from<Impl, Arguments...> &&
           !(sizeof...(Arguments) == 1 &&
             (std::derived_from<std::remove_cvref_t<Arguments>, ModuleHolder> &&
              ...))) explicit ModuleHolder(Arguments&&... arguments)
      : impl_(std::make_shared<Impl>(std::forward<Arguments>(arguments)...)) {}
  /// Holds nothing yet: for members that the constructor assigns.
  ModuleHolder(std::nullptr_t) {}
  ModuleHolder(std::shared_ptr<Impl> module) : impl_(std::move(module)) {}

  // Each throws ValueError while nothing is held.
  Impl* operator->() const { return get(); }
  Impl& operator*() const { return *get(); }
  Impl* get() const { return ptr().get(); }
  const std::shared_ptr<Impl>& ptr() const {
    if (!impl_)
      throw ValueError(
          "this holder of a module is empty: it was made of nullptr and never assigned");
    return impl_;
  }
  bool is_empty() const { return impl_ == nullptr; }
  explicit operator bool() const { return !is_empty(); }

  /// The module's forward().
  template <typename... Arguments>
  requires requires(Impl& module, Arguments&&... arguments) {
    module.forward(std::forward<Arguments>(arguments)...);
  }
  auto operator()(Arguments&&... arguments) const {
    return get()->forward(std::forward<Arguments>(arguments)...);
  }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace notape::nn
