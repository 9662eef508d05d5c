// Adagrad, as PyTorch does it; the formula is that of multi_tensor_adagrad_ (ops/optimize.h).
#pragma once
#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

class AdagradOptions : public OptionsOf<AdagradOptions> {
 public:
  AdagradOptions(double lr = 1e-2) : OptionsOf(lr) {}
  AdagradOptions& lr_decay(double value) { return lr_decay_ = value, *this; }
  AdagradOptions& eps(double value) { return eps_ = value, *this; }
  double lr_decay() const { return lr_decay_; }
  double eps() const { return eps_; }

  /// All are 0 or more.
  void check() const override;
  void visit(OptionVisitor& visitor) override;

 private:
  double lr_decay_ = 0, eps_ = 1e-10;
};

class Adagrad final : public OptimizerWith<AdagradOptions> {
 public:
  explicit Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options = {});
  explicit Adagrad(std::vector<OptimizerParamGroup> groups, const AdagradOptions& options = {});
  using Optimizer::step;

 private:
  void step(const Lists& lists, const OptimizerOptions& options) override;
  std::vector<bool> uses_states(const OptimizerOptions&) const override { return {true}; }
};

}  // namespace notape::optim
