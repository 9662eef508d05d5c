#include "paper_examples/optim/optimizer.h"

#include <fmt/format.h>

#include "autograd/interchange/safetensors.h"
#include "ops/ops.h"

namespace notape::optim {
namespace {

Tensor number(double value) { return full({}, value, dtype(kFloat64)); }

/// Notes options as tensors.
class Writer final : public OptionVisitor {
 public:
  Writer(NamedTensors& to, std::string prefix) : to_(to), prefix_(std::move(prefix)) {}
  using OptionVisitor::operator();
  void operator()(const char* name, double& value) override {
    to_.emplace(prefix_ + name, number(value));
  }

 private:
  NamedTensors& to_;
  std::string prefix_;
};

/// Takes them from there; state_dict() has shown that all are there.
class Reader final : public OptionVisitor {
 public:
  Reader(const NamedTensors& from, std::string prefix) : from_(from), prefix_(std::move(prefix)) {}
  using OptionVisitor::operator();
  void operator()(const char* name, double& value) override {
    value = from_.at(prefix_ + name).item();
  }

 private:
  const NamedTensors& from_;
  std::string prefix_;
};

std::string group_prefix(std::size_t group) { return fmt::format("param_groups.{}.", group); }
std::string state_prefix(std::size_t parameter) { return fmt::format("state.{}.", parameter); }

}  // namespace

void OptimizerOptions::check() const {
  if (!(lr_ >= 0)) throw ValueError("Invalid learning rate: {}", lr_);
}

Optimizer::Optimizer(std::vector<OptimizerParamGroup> groups,
                     std::unique_ptr<OptimizerOptions> defaults,
                     std::vector<std::string> state_names)
    : defaults_(std::move(defaults)), state_names_(std::move(state_names)) {
  defaults_->check();
  for (const OptimizerParamGroup& group : groups) add_param_group(group);
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
  std::vector<Tensor> all = parameters();
  for (const Tensor& parameter : group.params()) {
    if (!parameter.defined()) throw ValueError("an optimizer got an undefined parameter");
    if (!parameter.is_leaf()) throw ValueError("can't optimize a non-leaf Tensor");
    for (const Tensor& known : all)
      if (known.is_same(parameter))
        throw ValueError("some parameters appear in more than one parameter group");
    all.push_back(parameter);
  }
  OptimizerParamGroup added = group;
  if (!added.has_options()) added.set_options(defaults_->clone());
  added.options().check();
  states_.resize(states_.size() + added.params().size());
  groups_.push_back(std::move(added));
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> result;
  for (const OptimizerParamGroup& group : groups_)
    result.insert(result.end(), group.params().begin(), group.params().end());
  return result;
}

void Optimizer::zero_grad(bool set_to_none) const {
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& parameter : group.params()) {
      if (set_to_none || !parameter.grad().defined()) {
        parameter.mutable_grad().reset();
        continue;
      }
      const NoGradGuard no_grad;
      parameter.mutable_grad().detach_().zero_();
    }
}

Optimizer::Lists Optimizer::lists_of(std::size_t which, std::size_t first_parameter) {
  OptimizerParamGroup& group = groups_[which];
  const std::vector<bool> uses = uses_states(group.options());
  Lists lists;
  lists.states.resize(uses.size());
  for (std::size_t i = 0; i < group.params().size(); ++i) {
    const Tensor& parameter = group.params()[i];
    if (!parameter.grad().defined()) continue;
    State& state = states_[first_parameter + i];
    state.tensors.resize(uses.size());
    for (std::size_t k = 0; k < uses.size(); ++k) {
      if (uses[k] && !state.tensors[k].defined()) state.tensors[k] = zeros_like(parameter.detach());
      if (uses[k]) lists.states[k].push_back(state.tensors[k]);
    }
    lists.parameters.push_back(parameter);
    lists.gradients.push_back(parameter.grad());
    lists.steps.push_back(state.step + 1);
  }
  return lists;
}

Tensor Optimizer::step(const LossClosure& closure) {
  Tensor loss;
  if (closure) {
    const AutoGradMode recorded(true);
    loss = closure();
  }
  const NoGradGuard no_grad;
  std::size_t first = 0;
  for (std::size_t i = 0; i < groups_.size(); first += groups_[i++].params().size()) {
    const Lists lists = lists_of(i, first);
    if (lists.parameters.empty()) continue;
    step(lists, groups_[i].options());
    for (std::size_t k = 0; k < groups_[i].params().size(); ++k)
      if (groups_[i].params()[k].grad().defined()) ++states_[first + k].step;
  }
  return loss;
}

NamedTensors Optimizer::state_dict() const {
  NamedTensors result;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    Writer writer(result, group_prefix(i));
    groups_[i].options().clone()->visit(writer);
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].step == 0) continue;
    result.emplace(state_prefix(i) + "step", full({}, states_[i].step, dtype(kInt64)));
    for (std::size_t k = 0; k < states_[i].tensors.size(); ++k)
      if (states_[i].tensors[k].defined())
        result.emplace(state_prefix(i) + state_names_[k], states_[i].tensors[k]);
  }
  return result;
}

void Optimizer::load_state_dict(const NamedTensors& state) {
  std::string complaints;
  NamedTensors rest = state;
  const auto take = [&](const std::string& name) {
    const auto found = rest.find(name);
    Tensor taken = found == rest.end() ? Tensor() : found->second;
    if (found != rest.end()) rest.erase(found);
    return taken;
  };
  NamedTensors options;  // names alone count
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    Writer writer(options, group_prefix(i));
    groups_[i].options().clone()->visit(writer);
  }
  for (const auto& [name, value] : options)
    if (const Tensor given = take(name); !given.defined() || given.numel() != 1)
      complaints += fmt::format("\n  missing: {}", name);
  const std::vector<Tensor> all = parameters();
  std::vector<State> loaded(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tensor step = take(state_prefix(i) + "step");
    if (step.defined() && step.numel() == 1) loaded[i].step = step.to(kInt64).item<int64_t>();
    loaded[i].tensors.resize(state_names_.size());
    for (std::size_t k = 0; k < state_names_.size(); ++k) {
      const std::string name = state_prefix(i) + state_names_[k];
      const Tensor given = take(name);
      if (!given.defined()) continue;
      if (!step.defined()) complaints += fmt::format("\n  missing: {}step", state_prefix(i));
      if (given.sizes() != all[i].sizes())
        complaints += fmt::format("\n  of another size: {} is {} and the parameter {}", name,
                                  to_string(given.sizes()), to_string(all[i].sizes()));
      else
        loaded[i].tensors[k] = empty_like(all[i].detach()).copy_(given.detach());
    }
  }
  for (const auto& [name, value] : rest) complaints += fmt::format("\n  unexpected: {}", name);
  if (!complaints.empty())
    throw ValueError(
        "load_state_dict: the state is not one of this optimizer; nothing was loaded:{}",
        complaints);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    Reader reader(state, group_prefix(i));
    groups_[i].options().visit(reader);
  }
  states_ = std::move(loaded);
}

void save(const Optimizer& optimizer, const std::string& path) {
  save_safetensors(path, optimizer.state_dict());
}
void load(Optimizer& optimizer, const std::string& path) {
  optimizer.load_state_dict(load_safetensors(path));
}

}  // namespace notape::optim
