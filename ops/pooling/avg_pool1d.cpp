// avg_pool1d(x): the mean of each window of each row, dimension by dimension (avg_pool.cpp).
#include "ops/pooling/avg_pool.h"

namespace notape {
namespace {

OpCase draw_avg_pool1d(Draw& draw) {
  return avg_pool_case(draw, 1, [](const Tensor& x, const AvgPool& p) {
    return avg_pool1d(x, p.kernel[0], p.stride[0], p.padding[0], p.ceil_mode, p.count_include_pad);
  });
}

const RegisterOp avg_pool1d_row({.name = "avg_pool1d",
                                 .family = "pooling",
                                 .draw = draw_avg_pool1d,
                                 .traits = Trait::Pads | Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor avg_pool1d(const Tensor& self, Integer kernel_size, std::optional<Integer> stride,
                  Integer padding, bool ceil_mode, bool count_include_pad, At at) {
  const int64_t step = stride.value_or(kernel_size);
  return avg_pool({"avg_pool1d", at}, "AvgPool1DBackward0", self,
                  {{kernel_size}, {step}, {padding}, ceil_mode, count_include_pad});
}

}  // namespace notape
