// adaptive_avg_pool1d(x): the mean of each of so many windows of each row, dimension by dimension
// (avg_pool.cpp).
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

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& self, Integer output_size, At at) {
  const int64_t sizes[] = {output_size};
  return adaptive_avg_pool({"adaptive_avg_pool1d", at}, "AdaptiveAvgPool1DBackward0", self, sizes);
}

}  // namespace notape
