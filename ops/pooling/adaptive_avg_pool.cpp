// adaptive_avg_pool1d(x), adaptive_avg_pool2d(x), adaptive_avg_pool3d(x): the mean of each of so
// many windows of each row, plane or volume, dimension by dimension (avg_pool.cpp).
#include "ops/pooling/avg_pool.h"

namespace notape {
namespace {

OpCase draw_adaptive_avg_pool1d(Draw& draw) {
  return adaptive_avg_pool_case(draw, 1, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return adaptive_avg_pool1d(x, sizes[0]);
  });
}

const RegisterOp adaptive_avg_pool1d_row({.name = "adaptive_avg_pool1d",
                                          .family = "pooling",
                                          .draw = draw_adaptive_avg_pool1d,
                                          .traits = Trait::Accumulates | Trait::Averages});

OpCase draw_adaptive_avg_pool2d(Draw& draw) {
  return adaptive_avg_pool_case(draw, 2, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return adaptive_avg_pool2d(x, Pair(sizes[0], sizes[1]));
  });
}

const RegisterOp adaptive_avg_pool2d_row({.name = "adaptive_avg_pool2d",
                                          .family = "pooling",
                                          .draw = draw_adaptive_avg_pool2d,
                                          .traits = Trait::Accumulates | Trait::Averages});

OpCase draw_adaptive_avg_pool3d(Draw& draw) {
  return adaptive_avg_pool_case(draw, 3, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return adaptive_avg_pool3d(x, Triple(sizes[0], sizes[1], sizes[2]));
  });
}

const RegisterOp adaptive_avg_pool3d_row({.name = "adaptive_avg_pool3d",
                                          .family = "pooling",
                                          .draw = draw_adaptive_avg_pool3d,
                                          .traits = Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& self, Integer output_size, At at) {
  const int64_t sizes[] = {output_size};
  return adaptive_avg_pool({"adaptive_avg_pool1d", at}, "AdaptiveAvgPool1DBackward0", self, sizes);
}

Tensor adaptive_avg_pool2d(const Tensor& self, Pair output_size, At at) {
  return adaptive_avg_pool({"adaptive_avg_pool2d", at}, "AdaptiveAvgPool2DBackward0", self,
                           output_size);
}

Tensor adaptive_avg_pool3d(const Tensor& self, Triple output_size, At at) {
  return adaptive_avg_pool({"adaptive_avg_pool3d", at}, "AdaptiveAvgPool3DBackward0", self,
                           output_size);
}

}  // namespace notape
