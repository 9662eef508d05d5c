#include "paper_examples/nn/module.h"

namespace notape::nn {

std::vector<NamedTensor> Module::named_parameters() const {
  std::vector<NamedTensor> result = parameters_;
  for (const auto& [module_name, module] : modules_)
    for (const auto& [name, parameter] : module->named_parameters())
      result.emplace_back(module_name + "." + name, parameter);
  return result;
}

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> result;
  for (const auto& [name, parameter] : named_parameters()) result.push_back(parameter);
  return result;
}

void Module::zero_grad() const {
  for (const Tensor& parameter : parameters()) parameter.mutable_grad().reset();
}

Tensor Module::register_parameter(const std::string& name, const Tensor& tensor) {
  check_name(name);
  tensor.requires_grad_(true);
  parameters_.emplace_back(name, tensor);
  return tensor;
}

void Module::add(const std::string& name, std::shared_ptr<Module> module) {
  check_name(name);
  modules_.emplace_back(name, std::move(module));
}

void Module::replace(const std::string& name, std::shared_ptr<Module> module) {
  for (auto& [known_name, known] : modules_) {
    if (known_name != name) continue;
    known = std::move(module);
    return;
  }
  throw ValueError("replace_module: no submodule is called '{}'", name);
}

void Module::check_name(const std::string& name) const {
  if (name.empty() || name.find('.') != std::string::npos)
    throw ValueError("'{}' is no name for a parameter or submodule: empty, or with a dot", name);
  for (const auto& [known, parameter] : parameters_)
    if (known == name) throw ValueError("there is already a parameter called '{}'", name);
  for (const auto& [known, module] : modules_)
    if (known == name) throw ValueError("there is already a submodule called '{}'", name);
}

}  // namespace notape::nn
