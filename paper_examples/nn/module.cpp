#include "paper_examples/nn/module.h"

#include <cxxabi.h>

#include <cstdlib>
#include <ostream>
#include <typeinfo>

#include "ops/ops.h"
#include "paper_examples/nn/clear_grad.h"

namespace notape::nn {
namespace {

std::string readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : mangled;
}

/// "notape::nn::LinearImpl" -> "Linear"; arguments of templates stay.
std::string short_name(std::string name) {
  if (const std::size_t colons = name.rfind("::", name.find('<')); colons != std::string::npos)
    name.erase(0, colons + 2);
  constexpr std::string_view kImpl = "Impl";
  if (name.size() > kImpl.size() && name.ends_with(kImpl)) name.resize(name.size() - kImpl.size());
  return name;
}

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

void print(std::ostream& out, const Module& module, const std::string& indent) {
  module.pretty_print(out);
  if (module.named_children().is_empty()) return;
  out << "(\n";
  for (const auto& [name, child] : module.named_children()) {
    out << indent << "  (" << name << "): ";
    print(out, *child, indent + "  ");
    out << "\n";
  }
  out << indent << ")";
}

}  // namespace

void Module::visit(const std::string& prefix, const Named& function) const {
  function(prefix, *this);
  for (const auto& [name, module] : modules_) module->visit(joined(prefix, name), function);
}

OrderedDict<Tensor> Module::named(OrderedDict<Tensor> Module::*tensors, bool recurse,
                                  bool repeats) const {
  OrderedDict<Tensor> result;
  const auto is_known = [&](const Tensor& tensor) {
    for (const auto& [name, known] : result)
      if (known.is_same(tensor)) return true;
    return false;
  };
  const auto add_those = [&](const std::string& prefix, const Module& module) {
    for (const auto& [name, tensor] : module.*tensors)
      if (tensor.defined() && (repeats || !is_known(tensor)))
        result.insert(joined(prefix, name), tensor);
  };
  if (recurse)
    visit("", add_those);
  else
    add_those("", *this);
  return result;
}

OrderedDict<Tensor> Module::named_parameters(bool recurse) const {
  return named(&Module::parameters_, recurse, false);
}
OrderedDict<Tensor> Module::named_buffers(bool recurse) const {
  return named(&Module::buffers_, recurse, false);
}
OrderedDict<Tensor> Module::named_state() const {
  OrderedDict<Tensor> result = named(&Module::parameters_, true, true);
  for (const auto& [name, buffer] : named(&Module::buffers_, true, true))
    result.insert(name, buffer);
  return result;
}

std::vector<Tensor> Module::parameters(bool recurse) const {
  return named_parameters(recurse).values();
}
std::vector<Tensor> Module::buffers(bool recurse) const { return named_buffers(recurse).values(); }

std::shared_ptr<Module> Module::self() const {
  Module* const module = const_cast<Module*>(this);
  if (std::shared_ptr<Module> owned = module->weak_from_this().lock()) return owned;
  return {std::shared_ptr<Module>(), module};  // an object of the user's
}

OrderedDict<std::shared_ptr<Module>> Module::named_modules(const std::string& name_prefix,
                                                           bool include_self) const {
  OrderedDict<std::shared_ptr<Module>> result;
  visit(name_prefix, [&](const std::string& name, const Module& module) {
    if (include_self || &module != this) result.insert(name, module.self());
  });
  return result;
}

std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) const {
  return named_modules("", include_self).values();
}

std::string Module::name() const {
  return name_.empty() ? short_name(readable(typeid(*this).name())) : name_;
}

void Module::train(bool on) {
  is_training_ = on;
  for (const auto& [name, module] : modules_) module->train(on);
}

void Module::zero_grad(bool set_to_none) const {
  for (const Tensor& parameter : parameters()) clear_grad(parameter, set_to_none);
}

void Module::convert(std::optional<Device> device, std::optional<ScalarType> dtype) const {
  std::vector<Tensor> tensors = parameters();
  for (const Tensor& buffer : buffers()) tensors.push_back(buffer);
  const NoGradGuard no_grad;
  struct Change {
    Tensor value, gradient;
  };
  const auto converted = [&](const Tensor& tensor) {
    Tensor result = tensor.detach();
    if (dtype && is_floating_point(result.dtype())) result = result.to(*dtype);
    if (device) result = result.to(*device);
    return result;
  };
  std::vector<Change> changes;
  for (const Tensor& tensor : tensors)
    changes.push_back(
        {converted(tensor), tensor.grad().defined() ? converted(tensor.grad()) : Tensor()});
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].mutable_grad().reset();
    tensors[i].set_data(changes[i].value);
    if (changes[i].gradient.defined()) tensors[i].set_grad(changes[i].gradient);
  }
}

void Module::apply(const std::function<void(Module&)>& function) {
  for (const std::shared_ptr<Module>& module : modules()) function(*module);
}
void Module::apply(const std::function<void(const std::string&, Module&)>& function,
                   const std::string& name_prefix) {
  for (const auto& [name, module] : named_modules(name_prefix)) function(name, *module);
}

Tensor Module::register_parameter(const std::string& name, const Tensor& tensor,
                                  bool requires_grad) {
  check_name(name);
  // What was computed, scaled random numbers that wanted gradients for instance, is a value here.
  const Tensor parameter = !tensor.defined() || tensor.is_leaf() ? tensor : tensor.detach();
  if (parameter.defined()) parameter.requires_grad_(requires_grad);
  parameters_.insert(name, parameter);
  return parameter;
}

Tensor Module::register_buffer(const std::string& name, const Tensor& tensor) {
  check_name(name);
  buffers_.insert(name, tensor);
  return tensor;
}

void Module::refuse_cycle(const char* who, const std::string& name, const Module& below) const {
  below.visit("", [&](const std::string&, const Module& module) {
    if (&module == this)
      throw ValueError("{}: '{}' would be a module that has this one below it", who, name);
  });
}

void Module::add(const std::string& name, std::shared_ptr<Module> module) {
  check_name(name);
  if (!module) throw ValueError("register_module: '{}' is a null pointer", name);
  refuse_cycle("register_module", name, *module);
  modules_.insert(name, std::move(module));
}

void Module::replace(const std::string& name, std::shared_ptr<Module> module) {
  if (!module) throw ValueError("replace_module: '{}' would be a null pointer", name);
  std::shared_ptr<Module>* const known = modules_.find(name);
  if (known == nullptr) throw ValueError("replace_module: no submodule is called '{}'", name);
  refuse_cycle("replace_module", name, *module);
  *known = std::move(module);
}

void Module::check_name(const std::string& name) const {
  if (name.empty() || name.find('.') != std::string::npos)
    throw ValueError("'{}' is no name for a parameter, buffer or submodule: empty, or with a dot",
                     name);
  if (parameters_.contains(name))
    throw ValueError("there is already a parameter called '{}'", name);
  if (buffers_.contains(name)) throw ValueError("there is already a buffer called '{}'", name);
  if (modules_.contains(name)) throw ValueError("there is already a submodule called '{}'", name);
}

void Module::pretty_print(std::ostream& out) const { out << name(); }

std::ostream& operator<<(std::ostream& out, const Module& module) {
  print(out, module, "");
  return out;
}

}  // namespace notape::nn
