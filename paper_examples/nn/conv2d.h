// Conv2d: cross-correlation of images with learned filters, and a bias per filter.
#pragma once
#include "ops/conv.h"
#include "paper_examples/nn/module.h"

namespace notape::nn {

struct Conv2dImpl : Module {
  /// Weights and biases uniform in +-1 / sqrt(in_channels kH kW), as in LibTorch.
  Conv2dImpl(int64_t in_channels, int64_t out_channels, Pair kernel_size);
  /// (N, in_channels, H, W) -> (N, out_channels, H - kH + 1, W - kW + 1)
  Tensor forward(const Tensor& input) const;

  Tensor weight;  // (out_channels, in_channels, kH, kW)
  Tensor bias;    // (out_channels)
};

using Conv2d = ModuleHolder<Conv2dImpl>;

}  // namespace notape::nn
