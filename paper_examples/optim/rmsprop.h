// RMSprop, as PyTorch does it; the formula is that of multi_tensor_rmsprop_ (ops/optimize.h).
#pragma once
#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

class RMSpropOptions : public OptionsOf<RMSpropOptions> {
 public:
  RMSpropOptions(double lr = 1e-2) : OptionsOf(lr) {}
  RMSpropOptions& alpha(double value) { return alpha_ = value, *this; }
  RMSpropOptions& eps(double value) { return eps_ = value, *this; }
  RMSpropOptions& momentum(double value) { return momentum_ = value, *this; }
  RMSpropOptions& centered(bool on) { return centered_ = on, *this; }
  double alpha() const { return alpha_; }
  double eps() const { return eps_; }
  double momentum() const { return momentum_; }
  bool centered() const { return centered_; }

  /// All are 0 or more.
  void check() const override;
  void visit(OptionVisitor& visitor) override;

 private:
  double alpha_ = 0.99, eps_ = 1e-8, momentum_ = 0;
  bool centered_ = false;
};

class RMSprop final : public OptimizerWith<RMSpropOptions> {
 public:
  explicit RMSprop(std::vector<Tensor> parameters, const RMSpropOptions& options = {});
  explicit RMSprop(std::vector<OptimizerParamGroup> groups, const RMSpropOptions& options = {});
  using Optimizer::step;

 private:
  void step(const Lists& lists, const OptimizerOptions& options) override;
  std::vector<bool> uses_states(const OptimizerOptions& options) const override;
};

}  // namespace notape::optim
