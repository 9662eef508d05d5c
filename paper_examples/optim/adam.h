// Adam and AdamW, as PyTorch does them; the formulas are those of multi_tensor_adam_
// (ops/optimize.h).
#pragma once
#include <tuple>

#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

class AdamOptions : public OptionsOf<AdamOptions> {
 public:
  AdamOptions(double lr = 1e-3) : OptionsOf(lr) {}
  AdamOptions& betas(std::tuple<double, double> values) {
    std::tie(beta1_, beta2_) = values;
    return *this;
  }
  AdamOptions& eps(double value) { return eps_ = value, *this; }
  AdamOptions& amsgrad(bool on) { return amsgrad_ = on, *this; }
  std::tuple<double, double> betas() const { return {beta1_, beta2_}; }
  double eps() const { return eps_; }
  bool amsgrad() const { return amsgrad_; }

  /// Betas are in [0, 1), all others 0 or more.
  void check() const override;
  void visit(OptionVisitor& visitor) override;

 protected:
  double beta1_ = 0.9, beta2_ = 0.999, eps_ = 1e-8;
  bool amsgrad_ = false;
};

/// Adam's, with a weight decay of 0.01.
class AdamWOptions : public AdamOptions {
 public:
  AdamWOptions(double lr = 1e-3) : AdamOptions(lr) { weight_decay_ = 0.01; }
  AdamWOptions(const AdamOptions& options) : AdamOptions(options) {}
};

class Adam : public OptimizerWith<AdamOptions> {
 public:
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = {});
  explicit Adam(std::vector<OptimizerParamGroup> groups, const AdamOptions& options = {});
  using Optimizer::step;

 protected:
  void step(const Lists& lists, const OptimizerOptions& options) override;
  std::vector<bool> uses_states(const OptimizerOptions& options) const override;
  /// Weight decay that shrinks parameters instead of adding to gradients.
  virtual bool is_decoupled() const { return false; }
};

class AdamW final : public Adam {
 public:
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = {})
      : Adam(std::move(parameters), options) {}
  explicit AdamW(std::vector<OptimizerParamGroup> groups, const AdamWOptions& options = {})
      : Adam(std::move(groups), options) {}

 private:
  bool is_decoupled() const override { return true; }
};

}  // namespace notape::optim
