// adaptive_max_pool1d(x), adaptive_max_pool2d(x): the largest of each of so many windows
// (max_windows.cpp).
#include "ops/pooling/max_windows.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

OpCase draw_adaptive_max_pool1d(Draw& draw) {
  return adaptive_max_pool_case(draw, 1, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return std::get<0>(adaptive_max_pool1d(x, sizes[0]));
  });
}

const RegisterOp adaptive_max_pool1d_row(op_row("adaptive_max_pool1d", "pooling",
                                                draw_adaptive_max_pool1d, Trait::Accumulates));

OpCase draw_adaptive_max_pool2d(Draw& draw) {
  return adaptive_max_pool_case(draw, 2, [](const Tensor& x, const std::vector<int64_t>& sizes) {
    return std::get<0>(adaptive_max_pool2d(x, Pair(sizes[0], sizes[1])));
  });
}

const RegisterOp adaptive_max_pool2d_row(op_row("adaptive_max_pool2d", "pooling",
                                                draw_adaptive_max_pool2d, Trait::Accumulates));

}  // namespace

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, Integer output_size, At at) {
  return adaptive_max_pool({"adaptive_max_pool1d", at}, self, {output_size});
}

std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, Pair output_size, At at) {
  return adaptive_max_pool({"adaptive_max_pool2d", at}, self, {output_size[0], output_size[1]});
}

}  // namespace notape
