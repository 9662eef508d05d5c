// SGD with momentum, as PyTorch does it; the formula is that of multi_tensor_sgd_ (ops/optimize.h).
#pragma once
#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

class SGDOptions : public OptimizerOptions {
 public:
  SGDOptions(double lr) : OptimizerOptions(lr) {}
  SGDOptions& lr(double value) { return set_lr(value), *this; }
  SGDOptions& momentum(double value) { return momentum_ = value, *this; }
  SGDOptions& dampening(double value) { return dampening_ = value, *this; }
  SGDOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  SGDOptions& nesterov(bool on) { return nesterov_ = on, *this; }
  SGDOptions& maximize(bool on) { return maximize_ = on, *this; }
  double lr() const { return lr_; }
  double momentum() const { return momentum_; }
  double dampening() const { return dampening_; }
  double weight_decay() const { return weight_decay_; }
  bool nesterov() const { return nesterov_; }
  bool maximize() const { return maximize_; }

  std::unique_ptr<OptimizerOptions> clone() const override;
  /// Rate, momentum and decay are 0 or more; nesterov needs a momentum and no dampening.
  void check() const override;
  void visit(OptionVisitor& visitor) override;

 private:
  double momentum_ = 0, dampening_ = 0, weight_decay_ = 0;
  bool nesterov_ = false, maximize_ = false;
};

class SGD final : public Optimizer {
 public:
  SGD(std::vector<Tensor> parameters, const SGDOptions& options);
  SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions& options);
  /// Those of the first group; may be changed between steps: options().lr(0.01).
  SGDOptions& options();
  using Optimizer::step;

 private:
  void step(const Lists& lists, const OptimizerOptions& options) override;
  std::vector<bool> uses_states(const OptimizerOptions& options) const override;
};

}  // namespace notape::optim
