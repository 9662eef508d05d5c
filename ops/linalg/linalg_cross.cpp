// linalg_cross(a, b) = a x b = (a_1 b_2 - a_2 b_1, a_2 b_0 - a_0 b_2, a_0 b_1 - a_1 b_0);  da = b x
// g,  db = g x a.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

using LinalgCrossShape = std::vector<int64_t>;

struct Along {
  int64_t dim;
};

constexpr auto kLinalgCrossDerivative = derivative(
    "LinalgCrossBackward0",
    rule([](const Tensor& grad, const Input<1>& other, const Meta<0>& self,
            const Along& p) { return sum_to_size(linalg_cross(other, grad, p.dim), self.sizes()); },
         [](const Tensor& tangent, const Input<1>& other, const Along& p) {
           return linalg_cross(tangent, other, p.dim);
         }),
    rule([](const Tensor& grad, const Input<0>& self, const Meta<1>& other,
            const Along& p) { return sum_to_size(linalg_cross(grad, self, p.dim), other.sizes()); },
         [](const Tensor& tangent, const Input<0>& self, const Along& p) {
           return linalg_cross(self, tangent, p.dim);
         }));

/// The vectors' entries moved `by` places on.
Tensor turned(const Tensor& vectors, int64_t by, int64_t dim) { return roll(vectors, by, dim); }

Tensor compute_linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  const Tensor a = raw_alias(self, self.impl().geometry());
  const Tensor b = raw_alias(other, other.impl().geometry());
  return turned(a, -1, dim) * turned(b, -2, dim) - turned(a, -2, dim) * turned(b, -1, dim);
}

OpCase draw_cross(Draw& draw) {
  LinalgCrossShape full = draw.shape(1, 3);
  const int64_t dim = draw.dimension(static_cast<int64_t>(full.size()));
  const auto place =
      static_cast<std::size_t>(dim < 0 ? dim + static_cast<int64_t>(full.size()) : dim);
  LinalgCrossShape other = full;
  for (int64_t& size : other)
    if (draw.integer(1, 4) == 1) size = 1;
  full[place] = other[place] = 3;
  OpCase one;
  one.label = format_message("dim={}", {dim});
  one.arguments = {{.sizes = full}, {.sizes = other}};
  one.call = [=](const variable_list& x) { return linalg_cross(x[0], x[1], dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(full);
    int64_t step = 1;
    for (std::size_t d = place + 1; d < full.size(); ++d) step *= full[d];
    for (int64_t at = 0; at < result.numel(); ++at) {
      const int64_t c = at / step % 3;
      const auto entry = [&](const PlainTensor<T>& of, int64_t which) {
        return of.values[static_cast<std::size_t>(
            plain_position(of, full, at + (which % 3 - c) * step))];
      };
      result.values[static_cast<std::size_t>(at)] =
          entry(x[0], c + 1) * entry(x[1], c + 2) - entry(x[0], c + 2) * entry(x[1], c + 1);
    }
    return result;
  };
  return one;
}

const RegisterOp linalg_cross_row(
    {.name = "linalg_cross", .family = "linalg", .draw = draw_cross, .traits = Trait::Accumulates});

}  // namespace

Tensor linalg_cross(const Tensor& self, const Tensor& other, Integer dim, At at) {
  const Operation op("linalg_cross", at);
  check_operands(op, {&self, &other});
  if (self.dim() != other.dim())
    op.fail<ShapeError>("inputs must have the same number of dimensions, got {} and {}", self.dim(),
                        other.dim());
  if (self.dim() == 0) op.fail<ShapeError>("inputs must have dimensions");
  const int64_t place = wrap_dim(op, dim, self.dim());
  if (self.size(place) != 3 || other.size(place) != 3)
    op.fail<ShapeError>("inputs dimension {} must have length 3. Got {} and {}", dim,
                        self.size(place), other.size(place));
  broadcast_sizes(op, self.sizes(), other.sizes());
  return record(kLinalgCrossDerivative, op, compute_linalg_cross(self, other, place), Along{place},
                self, other);
}

}  // namespace notape
