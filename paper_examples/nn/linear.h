// Linear: y = x W^T + b.
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::nn {

class LinearOptions {
 public:
  LinearOptions(Integer in_features, Integer out_features)
      : in_features_(in_features), out_features_(out_features) {}
  LinearOptions& bias(bool has) { return bias_ = has, *this; }
  int64_t in_features() const { return in_features_; }
  int64_t out_features() const { return out_features_; }
  bool bias() const { return bias_; }

 private:
  int64_t in_features_, out_features_;
  bool bias_ = true;
};

struct LinearImpl : Module {
  /// Weights and biases uniform in +-1 / sqrt(in_features), as in LibTorch.
  explicit LinearImpl(const LinearOptions& options);
  LinearImpl(Integer in_features, Integer out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  /// (.., in_features) -> (.., out_features)
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;

  LinearOptions options;
  Tensor weight;  // (out_features, in_features)
  Tensor bias;    // (out_features), or undefined
};

using Linear = ModuleHolder<LinearImpl>;

}  // namespace notape::nn
