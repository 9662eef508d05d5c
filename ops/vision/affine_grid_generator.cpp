// affine_grid_generator(theta)[n, h, w] = theta[n] (x_w, y_h, 1): a product with a constant matrix.
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/linalg.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"
#include "ops/vision.h"

namespace notape {
namespace {

/// The centre of pixel i of n, between -1 and 1.
double centre(int64_t i, int64_t n, bool align_corners) {
  if (n <= 1) return 0;
  const auto place = static_cast<double>(2 * i - (n - 1)), count = static_cast<double>(n);
  return place / (align_corners ? count - 1 : count);
}

OpCase draw_affine_grid_generator(Draw& draw) {
  const std::vector<int64_t> size = {draw.integer(1, 3), draw.integer(1, 2), draw.integer(1, 4),
                                     draw.integer(1, 4)};
  const bool align = draw.boolean();
  OpCase one;
  one.label = format_message("size={}, align_corners={}", {to_string(size), align});
  one.arguments = {{.sizes = {size[0], 2, 3}}};
  one.call = [=](const variable_list& x) { return affine_grid_generator(x[0], size, align); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({size[0], size[2], size[3], 2});
    for (int64_t i = 0; i < result.numel(); ++i) {
      const int64_t row = i % 2, w = i / 2 % size[3], h = i / 2 / size[3] % size[2];
      const int64_t n = i / 2 / size[3] / size[2];
      const auto at = static_cast<std::size_t>((n * 2 + row) * 3);
      result.values[static_cast<std::size_t>(i)] =
          x[0].values[at] * T(centre(w, size[3], align)) +
          x[0].values[at + 1] * T(centre(h, size[2], align)) + x[0].values[at + 2];
    }
    return result;
  };
  return one;
}

const RegisterOp affine_grid_generator_row(op_row("affine_grid_generator", "vision",
                                                  draw_affine_grid_generator, Trait::Accumulates));

}  // namespace

Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners, At at) {
  const Operation op("affine_grid_generator", at);
  check_operand(op, theta);
  require_floating(op, theta);
  if (size.size() != 4)
    op.fail<ShapeError>("expected a size of 4 numbers (N, C, H, W), but got {}", to_string(size));
  for (int64_t length : size)
    if (length < 1) op.fail<ValueError>("expected a size above 0, but got {}", to_string(size));
  if (!(theta.sizes() == IntArrayRef({size[0], 2, 3})))
    op.fail<ShapeError>(
        "Expected a batch of 2D affine matrices of shape Nx2x3 for size {}. Got {}.",
        to_string(size), to_string(theta.sizes()));
  const Composite composite({&theta});
  geometry_of(op, size);
  const Tensor rows = allocate(
      geometry_of(op, IntArrayRef{1, size_product(op, {size[2], size[3]}), 3}), kFloat64, kCPU);
  auto* entry = rows.impl().data_as<double>();
  for (int64_t h = 0; h < size[2]; ++h)
    for (int64_t w = 0; w < size[3]; ++w) {
      *entry++ = centre(w, size[3], align_corners);
      *entry++ = centre(h, size[2], align_corners);
      *entry++ = 1;
    }
  const ScalarType type = computed_in(theta.dtype());
  const Tensor base = to(rows, theta.device().of_samples(), type, at);
  const Tensor maps = transpose(to(theta, type, at), 1, 2, at);
  const Tensor grid = bmm(expand(base, {size[0], -1, -1}, at), maps, at);
  return to(reshape(grid, {size[0], size[2], size[3], 2}, at), theta.dtype(), at);
}

}  // namespace notape
