// avg_pool2d(x): the mean of each window of each plane, dimension by dimension (avg_pool.cpp).
#include "ops/pooling/avg_pool.h"

namespace notape {
namespace {

OpCase draw_avg_pool2d(Draw& draw) {
  return avg_pool_case(draw, 2, [](const Tensor& x, const AvgPool& p) {
    return avg_pool2d(x, Pair(p.kernel[0], p.kernel[1]), Pair(p.stride[0], p.stride[1]),
                      Pair(p.padding[0], p.padding[1]), p.ceil_mode, p.count_include_pad,
                      p.divisor_override);
  });
}

const RegisterOp avg_pool2d_row({.name = "avg_pool2d",
                                 .family = "pooling",
                                 .draw = draw_avg_pool2d,
                                 .traits = Trait::Pads | Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor avg_pool2d(const Tensor& self, Pair kernel_size, Optional<Pair> stride, Pair padding,
                  bool ceil_mode, bool count_include_pad, std::optional<Integer> divisor_override,
                  At at) {
  const Pair step = stride.value_or(kernel_size);
  return avg_pool({"avg_pool2d", at}, "AvgPool2DBackward0", self,
                  {{kernel_size[0], kernel_size[1]},
                   {step[0], step[1]},
                   {padding[0], padding[1]},
                   ceil_mode,
                   count_include_pad,
                   divisor_override});
}

}  // namespace notape
