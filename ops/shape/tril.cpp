// tril(x, d)_ij = x_ij where j <= i + d, triu where j >= i + d, else 0: masked_fill, which carries
// the derivative, of what lies outside.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

enum class Triangle { Lower, Upper };

/// True at the entries (n, m) of matrices (.., n, m) that are not kept.
Tensor outside_triangle(Triangle triangle, IntArrayRef sizes, int64_t diagonal, Device device,
                        At at) {
  const int64_t rows = sizes[sizes.size() - 2], columns = sizes.back();
  // Beyond the matrix all diagonals are alike, and i + d stays in range.
  const int64_t d = std::clamp(diagonal, -rows - 1, columns + 1);
  const TensorOptions options = TensorOptions(kInt64).device(device);
  const Tensor i = unsqueeze(arange(rows, options), -1, at), j = arange(columns, options);
  return triangle == Triangle::Lower ? gt(j, add(i, d, 1, at), at) : lt(j, add(i, d, 1, at), at);
}

void check_tril(const Operation& op, const Tensor& self) {
  check_operand(op, self);
  if (self.dim() < 2)
    op.fail<ShapeError>("input tensor must have at least 2 dimensions, but has size {}",
                        to_string(self.sizes()));
}

Tensor kept(const Operation& op, Triangle triangle, const Tensor& self, int64_t diagonal) {
  check_tril(op, self);
  const Composite composite({&self});
  const Tensor outside =
      outside_triangle(triangle, self.sizes(), diagonal, self.device().of_samples(), op.at);
  return masked_fill(self, outside, false, op.at);
}

Tensor& keep(const Operation& op, Triangle triangle, Tensor& self, int64_t diagonal) {
  check_tril(op, self);
  const Tensor outside =
      outside_triangle(triangle, self.sizes(), diagonal, self.device().of_samples(), op.at);
  return masked_fill_(self, outside, false, op.at);
}

template <Triangle triangle>
OpCase draw_tril(Draw& draw) {
  const auto sizes = draw.shape(2, 4);
  const int64_t diagonal = draw.integer(-3, 3);
  OpCase one;
  one.label = format_message("diagonal={}", {diagonal});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) {
    return triangle == Triangle::Lower ? tril(x[0], diagonal) : triu(x[0], diagonal);
  };
  one.call_in_place = [=](variable_list& x) {
    triangle == Triangle::Lower ? tril_(x[0], diagonal) : triu_(x[0], diagonal);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    const int64_t columns = sizes.back(), rows = sizes[sizes.size() - 2];
    for (int64_t k = 0; k < result.numel(); ++k) {
      const int64_t j = k % columns, i = k / columns % rows;
      if (triangle == Triangle::Lower ? j > i + diagonal : j < i + diagonal)
        result.values[static_cast<std::size_t>(k)] = T(0);
    }
    return result;
  };
  return one;
}

const RegisterOp tril_row(op_row("tril", "shape", draw_tril<Triangle::Lower>, Trait::Overwrites));
const RegisterOp triu_row(op_row("triu", "shape", draw_tril<Triangle::Upper>, Trait::Overwrites));

}  // namespace

Tensor tril(const Tensor& self, Integer diagonal, At at) {
  return kept({"tril", at}, Triangle::Lower, self, diagonal);
}
Tensor triu(const Tensor& self, Integer diagonal, At at) {
  return kept({"triu", at}, Triangle::Upper, self, diagonal);
}
Tensor& tril_(Tensor& self, Integer diagonal, At at) {
  return keep({"tril_", at}, Triangle::Lower, self, diagonal);
}
Tensor& triu_(Tensor& self, Integer diagonal, At at) {
  return keep({"triu_", at}, Triangle::Upper, self, diagonal);
}

Tensor ShapeMembers::tril(Integer diagonal, At at) const {
  return notape::tril(self(), diagonal, at);
}
Tensor& ShapeMembers::tril_(Integer diagonal, At at) const {
  return notape::tril_(self(), diagonal, at);
}
Tensor ShapeMembers::triu(Integer diagonal, At at) const {
  return notape::triu(self(), diagonal, at);
}
Tensor& ShapeMembers::triu_(Integer diagonal, At at) const {
  return notape::triu_(self(), diagonal, at);
}

}  // namespace notape
