#include "paper_examples/nn/conv2d.h"

#include "paper_examples/nn/initialize.h"

namespace notape::nn {

Conv2dImpl::Conv2dImpl(int64_t in_channels, int64_t out_channels, Pair kernel_size) {
  const int64_t height = kernel_size[0], width = kernel_size[1];
  const int64_t fan_in = in_channels * height * width;
  weight = register_parameter(
      "weight", uniform_by_fan_in({out_channels, in_channels, height, width}, fan_in));
  bias = register_parameter("bias", uniform_by_fan_in({out_channels}, fan_in));
}

Tensor Conv2dImpl::forward(const Tensor& input) const { return conv2d(input, weight, bias); }

}  // namespace notape::nn
