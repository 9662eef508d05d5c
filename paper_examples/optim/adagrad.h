// Adagrad, as PyTorch does it; the formula is that of multi_tensor_adagrad_ (ops/optimize.h).
#pragma once
#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

class AdagradOptions : public OptimizerOptions {
 public:
  AdagradOptions(double lr = 1e-2) : OptimizerOptions(lr) {}
  AdagradOptions& lr(double value) { return set_lr(value), *this; }
  AdagradOptions& lr_decay(double value) { return lr_decay_ = value, *this; }
  AdagradOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  AdagradOptions& eps(double value) { return eps_ = value, *this; }
  AdagradOptions& maximize(bool on) { return maximize_ = on, *this; }
  double lr() const { return lr_; }
  double lr_decay() const { return lr_decay_; }
  double weight_decay() const { return weight_decay_; }
  double eps() const { return eps_; }
  bool maximize() const { return maximize_; }

  std::unique_ptr<OptimizerOptions> clone() const override;
  /// All are 0 or more.
  void check() const override;
  void visit(OptionVisitor& visitor) override;

 private:
  double lr_decay_ = 0, weight_decay_ = 0, eps_ = 1e-10;
  bool maximize_ = false;
};

class Adagrad final : public Optimizer {
 public:
  explicit Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options = {});
  explicit Adagrad(std::vector<OptimizerParamGroup> groups, const AdagradOptions& options = {});
  /// Those of the first group; may be changed between steps.
  AdagradOptions& options();
  using Optimizer::step;

 private:
  void step(const Lists& lists, const OptimizerOptions& options) override;
  std::vector<bool> uses_states(const OptimizerOptions&) const override { return {true}; }
};

}  // namespace notape::optim
