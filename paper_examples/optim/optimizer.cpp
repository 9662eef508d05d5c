#include "paper_examples/optim/optimizer.h"

#include <fmt/format.h>

#include <unordered_map>

#include "autograd/interchange/safetensors.h"
#include "ops/ops.h"
#include "ops/optimize.h"
#include "paper_examples/nn/clear_grad.h"

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
  void optional(const char* name, double& value) override {
    if (!std::isnan(value)) (*this)(name, value);
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
  void optional(const char* name, double& value) override {
    const auto found = from_.find(prefix_ + name);
    value = found == from_.end() ? std::numeric_limits<double>::quiet_NaN() : found->second.item();
  }

 private:
  const NamedTensors& from_;
  std::string prefix_;
};

std::string group_prefix(std::size_t group) { return fmt::format("param_groups.{}.", group); }
/// Of a group that a schedule has changed.
constexpr const char* kInitialRate = "initial_lr";
/// How many parameters a group has.
constexpr const char* kCount = "params";
std::string state_prefix(std::size_t parameter) { return fmt::format("state.{}.", parameter); }

}  // namespace

void OptimizerOptions::visit(OptionVisitor& visitor) {
  visitor("lr", lr_);
  visitor.optional(kInitialRate, initial_lr_);
}

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
  groups_.push_back(std::move(added));
  settle();
}

void Optimizer::settle() {
  std::size_t i = 0;
  bool is_settled = true;
  for (OptimizerParamGroup& group : groups_) {
    if (!group.has_options()) group.set_options(defaults_->clone());
    for (const Tensor& parameter : group.params()) {
      is_settled = is_settled && i < states_.size() && states_[i].parameter.is_same(parameter);
      ++i;
    }
  }
  if (is_settled && i == states_.size()) return;
  std::unordered_map<const TensorImpl*, State> known;
  for (State& state : states_) known.emplace(&state.parameter.impl(), std::move(state));
  std::vector<State> states;
  for (const Tensor& parameter : parameters()) {
    if (!parameter.defined()) throw ValueError("an optimizer got an undefined parameter");
    const auto found = known.find(&parameter.impl());
    states.push_back(found == known.end() ? State() : std::move(found->second));
    states.back().parameter = parameter;
    if (found != known.end()) known.erase(found);
  }
  states_ = std::move(states);
}

std::vector<Tensor> Optimizer::parameters() const {
  std::vector<Tensor> result;
  for (const OptimizerParamGroup& group : groups_)
    result.insert(result.end(), group.params().begin(), group.params().end());
  return result;
}

void Optimizer::zero_grad(bool set_to_none) const {
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& parameter : group.params()) nn::clear_grad(parameter, set_to_none);
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
    // A momentum that is switched on later begins then.
    const bool is_first = !uses.empty() && uses[0] && !state.tensors[0].defined();
    for (std::size_t k = 0; k < uses.size(); ++k) {
      Tensor& tensor = state.tensors[k];
      if (uses[k] && !tensor.defined()) tensor = zeros_like(parameter.detach());
      // Module::to() may have converted the parameter.
      if (uses[k] && (tensor.dtype() != parameter.dtype() || tensor.device() != parameter.device()))
        tensor = tensor.to(parameter.device()).to(parameter.dtype());
      if (uses[k]) lists.states[k].push_back(state.tensors[k]);
    }
    lists.parameters.push_back(parameter);
    lists.gradients.push_back(parameter.grad());
    lists.steps.push_back(is_first ? 1 : state.step + 1);
  }
  return lists;
}

Tensor Optimizer::step(const LossClosure& closure) {
  Tensor loss;
  if (closure) {
    const AutoGradMode recorded(true);
    loss = closure();
  }
  settle();
  const NoGradGuard no_grad;
  std::vector<Lists> lists;
  std::size_t first = 0;
  for (std::size_t i = 0; i < groups_.size(); first += groups_[i++].params().size())
    lists.push_back(lists_of(i, first));
  if (groups_.size() > 1)  // one group's step checks all of it by itself
    for (const Lists& one : lists)
      check_multi_tensor(one.parameters, one.gradients, one.states, one.steps);
  first = 0;
  for (std::size_t i = 0; i < groups_.size(); first += groups_[i++].params().size()) {
    if (lists[i].parameters.empty()) continue;
    step(lists[i], groups_[i].options());
    for (std::size_t k = 0; k < groups_[i].params().size(); ++k)
      if (groups_[i].params()[k].grad().defined()) ++states_[first + k].step;
  }
  return loss;
}

const Optimizer::State* Optimizer::state_of(const Tensor& parameter, std::size_t likely) const {
  if (likely < states_.size() && states_[likely].parameter.is_same(parameter))
    return &states_[likely];
  for (const State& state : states_)
    if (state.parameter.is_same(parameter)) return &state;
  return nullptr;
}

NamedTensors Optimizer::state_dict() const {
  NamedTensors result;
  std::size_t number = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const OptimizerParamGroup& group = groups_[i];
    const OptimizerOptions& options = group.has_options() ? group.options() : *defaults_;
    Writer writer(result, group_prefix(i));
    options.clone()->visit(writer);
    result.emplace(group_prefix(i) + kCount, full({}, std::ssize(group.params()), dtype(kInt64)));
    const std::vector<bool> uses = uses_states(options);
    for (const Tensor& parameter : group.params()) {
      const std::string prefix = state_prefix(number);
      const State* const state = state_of(parameter, number++);
      if (!state || state->step == 0) continue;
      result.emplace(prefix + "step", full({}, state->step, dtype(kInt64)));
      for (std::size_t k = 0; k < state_names_.size(); ++k) {
        const bool has = k < state->tensors.size() && state->tensors[k].defined();
        if (has || uses[k])
          result.emplace(prefix + state_names_[k],
                         has ? state->tensors[k] : zeros_like(parameter.detach()));
      }
    }
  }
  return result;
}

/// Takes a state apart, and notes what is wrong with it.
class StateReader {
 public:
  explicit StateReader(const NamedTensors& state) : rest_(state) {}

  Tensor take(const std::string& name) {
    const auto found = rest_.find(name);
    if (found == rest_.end()) return {};
    Tensor taken = found->second;
    rest_.erase(found);
    return taken;
  }
  /// One that may be missing.
  std::optional<double> take_number(const std::string& name) {
    const Tensor given = take(name);
    if (!given.defined()) return {};
    if (given.numel() == 1) return given.flatten()[0].item();
    complain("no number", name);
    return {};
  }
  void complain(const char* what, const std::string& of) {
    complaints_ += fmt::format("\n  {}: {}", what, of);
  }
  /// Throws ValueError with all that was noted and what is left.
  void finish() {
    for (const auto& [name, value] : rest_) complain("unexpected", name);
    if (!complaints_.empty())
      throw ValueError(
          "load_state_dict: the state is not one of this optimizer; nothing was loaded:{}",
          complaints_);
  }

 private:
  NamedTensors rest_;
  std::string complaints_;
};

std::unique_ptr<OptimizerOptions> Optimizer::read_options(std::size_t group,
                                                          const NamedTensors& state,
                                                          StateReader& reader) const {
  std::unique_ptr<OptimizerOptions> options = groups_[group].options().clone();
  NamedTensors known;  // names alone count
  Writer writer(known, group_prefix(group));
  options->visit(writer);
  bool has_all = true;
  known.erase(group_prefix(group) + kInitialRate);
  static_cast<void>(reader.take_number(group_prefix(group) + kInitialRate));
  for (const auto& [name, value] : known)
    if (!reader.take_number(name)) {
      has_all = false;
      reader.complain("missing", name);
    }
  if (!has_all) return options;
  Reader from_state(state, group_prefix(group));
  options->visit(from_state);
  try {
    options->check();
  } catch (const ValueError& error) {
    reader.complain("out of its range", error.what_without_backtrace());
  }
  return options;
}

void Optimizer::load_state_dict(const NamedTensors& state) {
  settle();
  StateReader reader(state);
  std::vector<std::unique_ptr<OptimizerOptions>> options;
  std::vector<State> loaded;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::vector<Tensor>& parameters = groups_[i].params();
    options.push_back(read_options(i, state, reader));
    const std::string count_name = group_prefix(i) + kCount;
    if (const auto count = reader.take_number(count_name);
        count && *count != static_cast<double>(parameters.size()))
      reader.complain("another number of parameters",
                      fmt::format("{} is {}, not {}", count_name, *count, parameters.size()));
    const std::vector<bool> uses = uses_states(*options.back());
    for (const Tensor& parameter : parameters) {
      const std::string prefix = state_prefix(loaded.size());
      State& one = loaded.emplace_back();
      one.parameter = parameter;
      one.tensors.resize(state_names_.size());
      if (const auto step = reader.take_number(prefix + "step"))
        one.step = static_cast<int64_t>(*step);
      if (one.step < 0) reader.complain("out of its range", prefix + "step");
      for (std::size_t k = 0; k < state_names_.size(); ++k) {
        const std::string name = prefix + state_names_[k];
        const Tensor given = reader.take(name);
        if (!given.defined()) {
          if (one.step > 0 && uses[k]) reader.complain("missing", name);
        } else if (one.step == 0) {
          reader.complain("missing", prefix + "step");
        } else if (given.sizes() != parameter.sizes()) {
          reader.complain("of another size",
                          fmt::format("{} is {} and the parameter {}", name,
                                      to_string(given.sizes()), to_string(parameter.sizes())));
        } else {
          one.tensors[k] = empty_like(parameter.detach()).copy_(given.detach());
        }
      }
    }
  }
  reader.finish();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    Reader from_state(state, group_prefix(i));
    groups_[i].options().visit(from_state);
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
