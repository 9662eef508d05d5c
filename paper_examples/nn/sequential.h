// Sequential: modules of one tensor, each fed with what the one before made.
#pragma once
#include <functional>
#include <initializer_list>

#include "paper_examples/nn/module.h"

namespace notape::nn {

/// A module of any class with a forward() from a tensor to a tensor.
class AnyModule {
 public:
  template <typename Impl>
  requires requires(Impl& module, const Tensor& input) {
    { module.forward(input) } -> std::convertible_to<Tensor>;
  }
  AnyModule(std::shared_ptr<Impl> module)
      : module_(module), forward_([impl = module.get()](const Tensor& input) -> Tensor {
          return impl->forward(input);
        }) {
    if (!module) throw ValueError("AnyModule: a null pointer");
  }
  template <std::derived_from<ModuleHolderBase> Holder>
  AnyModule(const Holder& module) : AnyModule(module.ptr()) {}

  Tensor forward(const Tensor& input) const { return forward_(input); }
  const std::shared_ptr<Module>& ptr() const { return module_; }

 private:
  std::shared_ptr<Module> module_;
  std::function<Tensor(const Tensor&)> forward_;
};

struct SequentialImpl : Module {
  SequentialImpl() = default;
  /// Called "0", "1", ...
  template <std::convertible_to<AnyModule>... Modules>
  requires(sizeof...(Modules) > 0) explicit SequentialImpl(const Modules&... modules) {
    (push_back(modules), ...);
  }
  /// Called by the names that are given: {{"conv", Conv2d(1, 8, 3)}, {"relu", ReLU()}}.
  SequentialImpl(std::initializer_list<std::pair<std::string, AnyModule>> modules) {
    for (const auto& [name, module] : modules) push_back(name, module);
  }

  /// Of no modules the input itself.
  Tensor forward(Tensor input) const {
    for (const AnyModule& module : modules_) input = module.forward(input);
    return input;
  }
  void push_back(const AnyModule& module) { push_back(std::to_string(size()), module); }
  /// Throws ValueError as register_module() does.
  void push_back(const std::string& name, const AnyModule& module) {
    register_module(name, module.ptr());
    modules_.push_back(module);
  }
  std::size_t size() const { return modules_.size(); }
  bool is_empty() const { return modules_.empty(); }
  /// The module at a place. Throws IndexError.
  const std::shared_ptr<Module>& operator[](std::size_t place) const {
    if (place >= size()) throw IndexError("Sequential: there is no module {} of {}", place, size());
    return modules_[place].ptr();
  }

 private:
  std::vector<AnyModule> modules_;
};

/// The holder, which also takes names and modules in braces.
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder::ModuleHolder;
  Sequential(std::initializer_list<std::pair<std::string, AnyModule>> modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}
};

}  // namespace notape::nn
