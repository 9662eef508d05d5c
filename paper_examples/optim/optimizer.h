// Optimizer: moves parameters against their gradients. What all have in common: groups of
// parameters with options of their own, states, and files of these. LibTorch's names. (2019 paper,
// 4.1: "optimizers are just programs")
#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/interchange/named_tensors.h"

namespace notape::optim {

/// Visits each option, by LibTorch's name, when all are saved or restored.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void operator()(const char* name, double& number) = 0;
  /// One that may not be there: then, and if it is not among those restored, NaN.
  virtual void optional(const char* name, double& number) = 0;
  void operator()(const char* name, bool& flag) {
    double number = flag;
    (*this)(name, number);
    flag = number != 0;
  }
};

/// What every optimizer has: a learning rate.
class OptimizerOptions {
 public:
  explicit OptimizerOptions(double lr) : lr_(lr) {}
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  /// Throws ValueError, naming the first option that is out of its range.
  virtual void check() const;
  virtual void visit(OptionVisitor& visitor);
  double get_lr() const { return lr_; }
  void set_lr(double lr) {
    lr_ = lr;
    initial_lr_ = std::numeric_limits<double>::quiet_NaN();
  }
  /// The rate that schedules start from: since there is one, that which was set last by others.
  double initial_lr() const { return std::isnan(initial_lr_) ? lr_ : initial_lr_; }
  /// By a schedule.
  void set_scheduled_lr(double lr) {
    initial_lr_ = initial_lr();
    lr_ = lr;
  }

 protected:
  OptimizerOptions(const OptimizerOptions&) = default;
  OptimizerOptions& operator=(const OptimizerOptions&) = default;
  double lr_;

 private:
  double initial_lr_ = std::numeric_limits<double>::quiet_NaN();
};

/// What the options of all optimizers here have; Self are those of one.
template <typename Self>
class OptionsOf : public OptimizerOptions {
 public:
  using OptimizerOptions::OptimizerOptions;
  Self& lr(double value) { return set_lr(value), self(); }
  Self& weight_decay(double value) { return weight_decay_ = value, self(); }
  Self& maximize(bool on) { return maximize_ = on, self(); }
  double lr() const { return lr_; }
  double weight_decay() const { return weight_decay_; }
  bool maximize() const { return maximize_; }
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Self>(static_cast<const Self&>(*this));
  }

 protected:
  double weight_decay_ = 0;
  bool maximize_ = false;

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

/// Parameters with options of their own, or with the optimizer's.
class OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<Tensor> params) : params_(std::move(params)) {}
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}
  OptimizerParamGroup(const OptimizerParamGroup& other)
      : params_(other.params_), options_(other.options_ ? other.options_->clone() : nullptr) {}
  OptimizerParamGroup& operator=(const OptimizerParamGroup&) = delete;

  std::vector<Tensor>& params() { return params_; }
  const std::vector<Tensor>& params() const { return params_; }
  bool has_options() const { return options_ != nullptr; }
  OptimizerOptions& options() { return *options_; }
  const OptimizerOptions& options() const { return *options_; }
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }

 private:
  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;
};

class Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;

  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Moves every parameter whose `.grad` is defined; the others keep value and state. A closure
  /// that computes the loss and its gradients is called first, with gradients recorded, and its
  /// loss returned; else the result is undefined. Throws what ops/optimize.h says, for a gradient
  /// of another dtype for instance; then no parameter of any group has moved.
  Tensor step(const LossClosure& closure = nullptr);
  /// Makes every `.grad` undefined, or with set_to_none = false zero.
  void zero_grad(bool set_to_none = true) const;
  /// Throws ValueError for a parameter that is undefined, no leaf, or in a group already, and for
  /// options out of their range.
  void add_param_group(const OptimizerParamGroup& group);
  /// Parameters may be added, removed and exchanged here, too.
  std::vector<OptimizerParamGroup>& param_groups() { return groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const { return groups_; }
  /// Those of all groups.
  std::vector<Tensor> parameters() const;

  /// States and options: "state.0.exp_avg", "state.0.step", "param_groups.0.lr", parameters counted
  /// over all groups, as PyTorch counts them. States share memory with the optimizer's.
  NamedTensors state_dict() const;
  /// Copies them, all that state_dict() gives for the same groups. Throws ValueError that lists all
  /// that is missing, unexpected, of another size or out of its range; then nothing has changed.
  void load_state_dict(const NamedTensors& state);

 protected:
  /// What an optimizer keeps for one parameter: the number of its steps, and tensors of its shape.
  struct State {
    Tensor parameter;
    int64_t step = 0;
    std::vector<Tensor> tensors;
  };
  /// What is to be moved together.
  struct Lists {
    TensorList parameters, gradients;
    std::vector<TensorList> states;
    std::vector<int64_t> steps;
  };

  /// The names of states, "exp_avg".
  Optimizer(std::vector<OptimizerParamGroup> groups, std::unique_ptr<OptimizerOptions> defaults,
            std::vector<std::string> state_names);
  /// One step of one group; lists have that many states.
  virtual void step(const Lists& lists, const OptimizerOptions& options) = 0;
  /// How many states, in the order of their names, an optimizer of these options has; an option may
  /// add one later.
  virtual std::vector<bool> uses_states(const OptimizerOptions& options) const = 0;
  /// Of the first group, or of groups to come.
  OptimizerOptions& first_options() { return groups_.empty() ? *defaults_ : groups_[0].options(); }

 private:
  /// Groups and their parameters may have been changed since: each keeps its own state.
  void settle();
  Lists lists_of(std::size_t group, std::size_t first_parameter);
  /// Null if there is none; `likely` is looked at first.
  const State* state_of(const Tensor& parameter, std::size_t likely) const;
  std::unique_ptr<OptimizerOptions> read_options(std::size_t group, const NamedTensors& state,
                                                 class StateReader& reader) const;

  std::vector<OptimizerParamGroup> groups_;
  std::unique_ptr<OptimizerOptions> defaults_;
  std::vector<std::string> state_names_;
  std::vector<State> states_;  // one per parameter, over all groups, once settled
};

/// An optimizer with options of this type.
template <typename Options>
class OptimizerWith : public Optimizer {
 public:
  /// Those of the first group; may be changed between steps: options().lr(0.01).
  Options& options() { return static_cast<Options&>(first_options()); }

 protected:
  OptimizerWith(std::vector<OptimizerParamGroup> groups, const Options& options,
                std::vector<std::string> state_names)
      : Optimizer(std::move(groups), options.clone(), std::move(state_names)) {}
};

/// A file of the optimizer's state, safetensors, which appears whole or not at all. Throws
/// FileError.
void save(const Optimizer& optimizer, const std::string& path);
/// Throws FileError and what load_state_dict() throws; then nothing has changed.
void load(Optimizer& optimizer, const std::string& path);

}  // namespace notape::optim
