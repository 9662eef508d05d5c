// Module: a model or layer is a class with parameters and a forward function (2019 paper, 4.1:
// "deep learning models are just Python programs"). This base class only knows which parameters,
// buffers and submodules there are, and whether it is trained.
//
//   struct Net : nn::Module {
//     Tensor forward(const Tensor& x) { return fc(x).relu(); }
//     nn::Linear fc = register_module("fc", nn::Linear(64, 10));
//     Tensor scale = register_parameter("scale", ones({10}));
//   };
//
// Names and order are LibTorch's: of a module its own, then those of its submodules, "fc.weight".
#pragma once
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "paper_examples/nn/module_holder.h"
#include "paper_examples/nn/ordered_dict.h"

namespace notape::nn {

class Module : public std::enable_shared_from_this<Module> {
 public:
  Module() = default;
  /// name() says this instead of the class's.
  explicit Module(std::string name) : name_(std::move(name)) {}
  virtual ~Module() = default;
  // A copy would register the same parameters twice.
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // ---- What there is, of this module and, with recurse, of those below ----
  // A tensor that is there twice, tied weights, is listed once, under its first name.

  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<Tensor> named_parameters(bool recurse = true) const;
  /// State that is kept but not trained: running means and the like.
  std::vector<Tensor> buffers(bool recurse = true) const;
  OrderedDict<Tensor> named_buffers(bool recurse = true) const;
  /// Parameters, then buffers, under all their names: what a file of the module holds.
  OrderedDict<Tensor> named_state() const;
  std::vector<std::shared_ptr<Module>> children() const { return modules_.values(); }
  const OrderedDict<std::shared_ptr<Module>>& named_children() const { return modules_; }
  /// All modules below, before them this one, each before its submodules. A pointer to a module
  /// that no shared_ptr owns does not keep it alive.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  OrderedDict<std::shared_ptr<Module>> named_modules(const std::string& name_prefix = "",
                                                     bool include_self = true) const;
  /// This module as the one that a holder names, or as an Impl; null if it is another's.
  template <typename Kind>
  auto* as() {
    if constexpr (std::derived_from<Kind, ModuleHolderBase>)
      return dynamic_cast<typename Kind::Impl*>(this);
    else
      return dynamic_cast<Kind*>(this);
  }
  /// The class's name, without namespaces and a final "Impl".
  std::string name() const;

  // ---- What is done with all of it ----
  /// Dropout and normalisation ask is_training(), which is true at first.
  virtual void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return is_training_; }
  /// Makes every parameter's `.grad` undefined, or with set_to_none = false zero.
  void zero_grad(bool set_to_none = true) const;
  /// Moves or converts parameters, their gradients and buffers; integers keep their dtype. Tensors
  /// stay the same objects: optimizers go on. Throws what Tensor::to() throws, before any change.
  void to(Device device) { convert(device, {}); }
  void to(ScalarType dtype) { convert({}, dtype); }
  void to(Device device, ScalarType dtype) { convert(device, dtype); }
  // LibTorch's forms: moving a module always finishes before they return.
  void to(Device device, bool /*non_blocking*/) { convert(device, {}); }
  void to(ScalarType dtype, bool /*non_blocking*/) { convert({}, dtype); }
  void to(Device device, ScalarType dtype, bool /*non_blocking*/) { convert(device, dtype); }
  /// Calls the function with this module and all below.
  void apply(const std::function<void(Module&)>& function);
  void apply(const std::function<void(const std::string&, Module&)>& function,
             const std::string& name_prefix = "");

  /// The line that a print shows of this module: "Linear(in_features=64, out_features=10,
  /// bias=true)". Layers say their options.
  virtual void pretty_print(std::ostream& out) const;

  // ---- What a module is made of ----
  // Names that are taken, empty or contain a dot are a ValueError, and so are modules that would be
  // below themselves.

  /// Makes `tensor` a parameter and returns it: a leaf with the given requires_grad. For a computed
  /// tensor it is a new leaf with that value. An undefined one stands for an absent parameter, a
  /// bias for instance.
  Tensor register_parameter(const std::string& name, const Tensor& tensor,
                            bool requires_grad = true);
  Tensor register_buffer(const std::string& name, const Tensor& tensor);
  /// Adds a submodule, held by a ModuleHolder or a shared_ptr, and returns it.
  template <std::derived_from<ModuleHolderBase> Holder>
  Holder register_module(const std::string& name, Holder module) {
    add(name, module.ptr());
    return module;
  }
  template <std::derived_from<Module> Impl>
  std::shared_ptr<Impl> register_module(const std::string& name, std::shared_ptr<Impl> module) {
    add(name, module);
    return module;
  }
  /// Puts another submodule in the place of the one called `name`. Throws ValueError if there is
  /// none.
  template <std::derived_from<ModuleHolderBase> Holder>
  Holder replace_module(const std::string& name, Holder module) {
    replace(name, module.ptr());
    return module;
  }
  template <std::derived_from<Module> Impl>
  std::shared_ptr<Impl> replace_module(const std::string& name, std::shared_ptr<Impl> module) {
    replace(name, module);
    return module;
  }

 private:
  using Named = std::function<void(const std::string& prefix, const Module& module)>;
  OrderedDict<Tensor> named(OrderedDict<Tensor> Module::*tensors, bool recurse, bool repeats) const;
  void visit(const std::string& prefix, const Named& function) const;
  std::shared_ptr<Module> self() const;
  void add(const std::string& name, std::shared_ptr<Module> module);
  void replace(const std::string& name, std::shared_ptr<Module> module);
  void check_name(const std::string& name) const;
  void refuse_cycle(const char* who, const std::string& name, const Module& below) const;
  void convert(std::optional<Device> device, std::optional<ScalarType> dtype) const;

  std::string name_;
  OrderedDict<Tensor> parameters_, buffers_;
  OrderedDict<std::shared_ptr<Module>> modules_;
  bool is_training_ = true;
};

/// A module that is no more than its options.
template <typename Options>
struct OptionsModule : Module {
  OptionsModule(const Options& o = {}) : options(o) {}
  Options options;
};

/// As a tree:
///   Net(
///     (fc): Linear(in_features=64, out_features=10, bias=true)
///   )
std::ostream& operator<<(std::ostream& out, const Module& module);
template <typename Impl>
std::ostream& operator<<(std::ostream& out, const ModuleHolder<Impl>& module) {
  return out << *module;
}

}  // namespace notape::nn
