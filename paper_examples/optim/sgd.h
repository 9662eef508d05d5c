// SGD with momentum, as PyTorch does it; the formula is that of multi_tensor_sgd_ (ops/optimize.h).
#pragma once
#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

class SGDOptions : public OptionsOf<SGDOptions> {
 public:
  SGDOptions(double lr) : OptionsOf(lr) {}
  SGDOptions& momentum(double value) { return momentum_ = value, *this; }
  SGDOptions& dampening(double value) { return dampening_ = value, *this; }
  SGDOptions& nesterov(bool on) { return nesterov_ = on, *this; }
  double momentum() const { return momentum_; }
  double dampening() const { return dampening_; }
  bool nesterov() const { return nesterov_; }

  /// Rate, momentum and decay are 0 or more; nesterov needs a momentum and no dampening.
  void check() const override;
  void visit(OptionVisitor& visitor) override;

 private:
  double momentum_ = 0, dampening_ = 0;
  bool nesterov_ = false;
};

class SGD final : public OptimizerWith<SGDOptions> {
 public:
  SGD(std::vector<Tensor> parameters, const SGDOptions& options);
  SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions& options);
  using Optimizer::step;

 private:
  void step(const Lists& lists, const OptimizerOptions& options) override;
  std::vector<bool> uses_states(const OptimizerOptions& options) const override;
};

}  // namespace notape::optim
