// adaptive_max_pool1d(x): the largest of each of so many windows (max_windows.cpp).
#include "ops/pooling/max_windows.h"

namespace notape {
namespace {

OpCase draw_adaptive_max_pool1d(Draw& draw) {
  return adaptive_max_pool_case(draw, 1, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return std::get<0>(adaptive_max_pool1d(x, sizes[0]));
  });
}

const RegisterOp adaptive_max_pool1d_row({.name = "adaptive_max_pool1d",
                                          .family = "pooling",
                                          .draw = draw_adaptive_max_pool1d,
                                          .traits = Trait::Accumulates});

}  // namespace

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, Integer output_size, At at) {
  return adaptive_max_pool({"adaptive_max_pool1d", at}, self, {output_size});
}

}  // namespace notape
