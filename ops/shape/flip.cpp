// flip(x, dims)[.., i, ..] = x[.., n - 1 - i, ..] for each of dims; the gradient is flipped, too.
#include "ops/shape/flip.h"

#include "autograd/graph/record.h"
#include "ops/core/allocate.h"
#include "ops/shape.h"
#include "ops/shape/distinct_dims.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

constexpr auto kFlipDerivative =
    derivative("FlipBackward0",
               movement([](const Tensor& grad, const Sizes& dims) { return flip(grad, dims); }));

Tensor compute(const Operation& op, const Tensor& self, const Sizes& dims) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t, const Tensor& all) {
          Sizes behind = dims;
          for (int64_t& dim : behind) ++dim;
          return compute(op, all, self.dim() == 0 ? Sizes() : behind);
        },
        self);
  std::vector<bool> reversed(static_cast<std::size_t>(self.dim()));
  for (const int64_t dim : dims)
    if (self.dim() > 0) reversed[static_cast<std::size_t>(dim)] = true;
  Tensor result = allocate(self.sizes(), self.dtype(), self.device());
  flip_kernel(op, self.dtype(), self.device(), result, raw_contiguous(self), reversed);
  return result;
}

OpCase draw_flip(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (draw.boolean()) dims.push_back(draw.boolean() ? d : d - rank);
  return picked_case(
      "dims=" + to_string(dims), sizes, sizes, [=](const Tensor& x) { return flip(x, dims); },
      [=](IndexTuple i) {
        for (const int64_t dim : dims) {
          const std::size_t d = place_of(dim, sizes.size());
          i[d] = sizes[d] - 1 - i[d];
        }
        return i;
      });
}

const RegisterOp flip_row(op_row("flip", "shape", draw_flip, Trait::Permutes));

}  // namespace

Tensor flip(const Tensor& self, IntArrayRef dims, At at) {
  const Operation op("flip", at);
  check_operand(op, self);
  const Sizes places = distinct_dims(op, dims, self.dim());
  return record(kFlipDerivative, op, compute(op, self, places), places, self);
}

Tensor ShapeMembers::flip(IntArrayRef dims, At at) const { return notape::flip(self(), dims, at); }

}  // namespace notape
