// avg_pool3d(x): the mean of each window of each volume, dimension by dimension (avg_pool.cpp).
#include "ops/pooling/avg_pool.h"

namespace notape {
namespace {

OpCase draw_avg_pool3d(Draw& draw) {
  return avg_pool_case(draw, 3, [](const Tensor& x, const AvgPool& p) {
    return avg_pool3d(x, Triple(p.kernel[0], p.kernel[1], p.kernel[2]),
                      Triple(p.stride[0], p.stride[1], p.stride[2]),
                      Triple(p.padding[0], p.padding[1], p.padding[2]), p.ceil_mode,
                      p.count_include_pad, p.divisor_override);
  });
}

const RegisterOp avg_pool3d_row({.name = "avg_pool3d",
                                 .family = "pooling",
                                 .draw = draw_avg_pool3d,
                                 .traits = Trait::Pads | Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor avg_pool3d(const Tensor& self, Triple kernel_size, Optional<Triple> stride, Triple padding,
                  bool ceil_mode, bool count_include_pad, std::optional<Integer> divisor_override,
                  At at) {
  const Triple step = stride.value_or(kernel_size);
  return avg_pool({"avg_pool3d", at}, "AvgPool3DBackward0", self,
                  {{kernel_size[0], kernel_size[1], kernel_size[2]},
                   {step[0], step[1], step[2]},
                   {padding[0], padding[1], padding[2]},
                   ceil_mode,
                   count_include_pad,
                   divisor_override});
}

}  // namespace notape
