// view_as(x, y): x in the shape of y, as view gives it.
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {

Tensor view_as(const Tensor& self, const Tensor& other, At at) {
  const Operation op("view_as", at);
  check_operand(op, self);
  check_operand(op, other);
  return view(self, other.sizes(), at);
}

Tensor ShapeMembers::view_as(const Tensor& other, At at) const {
  return notape::view_as(self(), other, at);
}

}  // namespace notape
