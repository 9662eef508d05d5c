// adaptive_avg_pool2d(x): the mean of each of so many windows of each plane, dimension by dimension
// (avg_pool.cpp).
#include "ops/pooling/avg_pool.h"

namespace notape {
namespace {

OpCase draw_adaptive_avg_pool2d(Draw& draw) {
  return adaptive_avg_pool_case(draw, 2, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return adaptive_avg_pool2d(x, Pair(sizes[0], sizes[1]));
  });
}

const RegisterOp adaptive_avg_pool2d_row({.name = "adaptive_avg_pool2d",
                                          .family = "pooling",
                                          .draw = draw_adaptive_avg_pool2d,
                                          .traits = Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor adaptive_avg_pool2d(const Tensor& self, Pair output_size, At at) {
  return adaptive_avg_pool({"adaptive_avg_pool2d", at}, "AdaptiveAvgPool2DBackward0", self,
                           output_size);
}

}  // namespace notape
