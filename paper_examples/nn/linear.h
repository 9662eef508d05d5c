// Linear: y = x W^T + b.
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::nn {

struct LinearImpl : Module {
  /// Weights and biases uniform in +-1 / sqrt(in_features), as in LibTorch.
  LinearImpl(int64_t in_features, int64_t out_features);
  /// (N, in_features) -> (N, out_features)
  Tensor forward(const Tensor& input) const;

  Tensor weight;  // (out_features, in_features)
  Tensor bias;    // (out_features)
};

using Linear = ModuleHolder<LinearImpl>;

}  // namespace notape::nn
