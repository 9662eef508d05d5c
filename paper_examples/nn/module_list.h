// ModuleList: modules that a forward function of the user's goes through.
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::nn {

struct ModuleListImpl : Module {
  ModuleListImpl() = default;
  template <std::derived_from<ModuleHolderBase>... Holders>
  requires(sizeof...(Holders) > 0) explicit ModuleListImpl(const Holders&... modules) {
    (push_back(modules), ...);
  }

  /// Called "0", "1", ...
  void push_back(const std::shared_ptr<Module>& module) {
    list_.push_back(register_module(std::to_string(size()), module));
  }
  template <std::derived_from<ModuleHolderBase> Holder>
  void push_back(const Holder& module) {
    push_back(std::shared_ptr<Module>(module.ptr()));
  }
  std::size_t size() const { return list_.size(); }
  bool is_empty() const { return size() == 0; }
  /// Throws IndexError.
  const std::shared_ptr<Module>& operator[](std::size_t place) const {
    if (place >= size()) throw IndexError("ModuleList: there is no module {} of {}", place, size());
    return list_[place];
  }
  /// The module at a place, as what it is. Throws IndexError, and ValueError if it is another.
  template <typename Kind>
  auto& at(std::size_t place) const {
    if (auto* const module = (*this)[place]->template as<Kind>()) return *module;
    throw ValueError("ModuleList: module {} is a {}", place, (*this)[place]->name());
  }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<std::shared_ptr<Module>> list_;
};

using ModuleList = ModuleHolder<ModuleListImpl>;

}  // namespace notape::nn
