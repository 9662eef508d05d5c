// bucketize(x, boundaries) = searchsorted(boundaries, x) for one sequence of boundaries.
#include "ops/core/promotion.h"
#include "ops/index.h"

namespace notape {
namespace {

void check_boundaries(const Operation& op, const Tensor& boundaries) {
  check_operand(op, boundaries);
  if (boundaries.dim() != 1)
    op.fail<ShapeError>("boundaries tensor must be 1 dimension, but got shape {}",
                        to_string(boundaries.sizes()));
}

}  // namespace

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right, At at) {
  const Operation op("bucketize", at);
  check_boundaries(op, boundaries);
  return searchsorted(boundaries, self, out_int32, right, {}, {}, at);
}

Tensor bucketize(Scalar self, const Tensor& boundaries, bool out_int32, bool right, At at) {
  const Operation op("bucketize", at);
  check_boundaries(op, boundaries);
  return searchsorted(boundaries, self, out_int32, right, {}, {}, at);
}

}  // namespace notape
