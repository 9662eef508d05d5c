// outer(a, b)_ij = a_i b_j: a broadcast product, which carries the derivative.
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

OpCase draw_outer(Draw& draw) {
  const int64_t n = draw.integer(0, 6), m = draw.integer(0, 6);
  OpCase one;
  one.label = format_message("{} by {}", {n, m});
  one.arguments = {{.sizes = {n}}, {.sizes = {m}}};
  one.call = [](const variable_list& x) { return outer(x[0], x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({n, m});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < m; ++j)
        result.values[static_cast<std::size_t>(i * m + j)] =
            x[0].values[static_cast<std::size_t>(i)] * x[1].values[static_cast<std::size_t>(j)];
    return result;
  };
  return one;
}

const RegisterOp outer_row(
    {.name = "outer", .family = "linalg", .draw = draw_outer, .traits = Trait::Accumulates});

}  // namespace

Tensor outer(const Tensor& self, const Tensor& vec2, At at) {
  const Operation op("outer", at);
  check_operands(op, {&self, &vec2});
  if (self.dim() != 1) op.fail<ShapeError>("Expected 1-D argument self, but got {}-D", self.dim());
  if (vec2.dim() != 1) op.fail<ShapeError>("Expected 1-D argument vec2, but got {}-D", vec2.dim());
  const Composite composite({&self, &vec2});
  return mul(reshape(self, {self.numel(), 1}, at), vec2, at);
}

Tensor LinalgMembers::outer(const Tensor& vec2, At at) const {
  return notape::outer(self(), vec2, at);
}

}  // namespace notape
