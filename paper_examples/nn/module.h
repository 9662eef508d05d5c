// Module: a model or layer is a class with parameters and a forward function (2019 paper, 4.1:
// "deep learning models are just Python programs"). This base class only knows which parameters
// there are.
//
//   struct Net : nn::Module {
//     Tensor forward(const Tensor& x) { return fc(x).relu(); }
//     nn::Linear fc = register_module("fc", nn::Linear(64, 10));
//     Tensor scale = register_parameter("scale", ones({10}));
//   };
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/autograd.h"

namespace notape::nn {

using NamedTensor = std::pair<std::string, Tensor>;

class Module {
 public:
  Module() = default;
  virtual ~Module() = default;
  // A copy would register the same parameters twice.
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// This module's parameters, then those of its submodules, in the order of registration.
  std::vector<Tensor> parameters() const;
  /// The same with names, "fc.weight".
  std::vector<NamedTensor> named_parameters() const;
  /// Makes every parameter's `.grad` undefined.
  void zero_grad() const;

  /// Makes `tensor` a parameter: a leaf that requires grad. Throws ValueError if the name is taken,
  /// empty or contains a dot.
  Tensor register_parameter(const std::string& name, const Tensor& tensor);
  /// Adds a submodule, held by a ModuleHolder or a shared_ptr, and returns it. Throws ValueError as
  /// register_parameter() does.
  template <typename Holder>
  Holder register_module(const std::string& name, Holder module) {
    add(name, module.ptr());
    return module;
  }
  /// Puts another submodule in the place of the one called `name`. Throws ValueError if there is
  /// none.
  template <typename Holder>
  Holder replace_module(const std::string& name, Holder module) {
    replace(name, module.ptr());
    return module;
  }

 private:
  void add(const std::string& name, std::shared_ptr<Module> module);
  void replace(const std::string& name, std::shared_ptr<Module> module);
  void check_name(const std::string& name) const;

  std::vector<NamedTensor> parameters_;
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> modules_;
};

/// Shared ownership of a module that is called like a function: LibTorch's form, where `Linear` is
/// the holder and `LinearImpl` the module.
template <typename Impl>
class ModuleHolder {
 public:
  /// Makes an Impl from the arguments.
  template <typename... Arguments>
  requires std::constructible_from<Impl, Arguments...>
  explicit ModuleHolder(Arguments&&... arguments)
      : impl_(std::make_shared<Impl>(std::forward<Arguments>(arguments)...)) {}

  Impl* operator->() const { return impl_.get(); }
  Impl& operator*() const { return *impl_; }
  const std::shared_ptr<Impl>& ptr() const { return impl_; }
  template <typename... Arguments>
  auto operator()(Arguments&&... arguments) const {
    return impl_->forward(std::forward<Arguments>(arguments)...);
  }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace notape::nn
