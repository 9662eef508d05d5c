// alias(x): a view of all of x; the gradient passes through.
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#include "ops/spec/elementwise_spec.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

constexpr auto kAliasDerivative =
    derivative("AliasBackward0", movement([](const Tensor& grad) { return grad; }));

OpCase draw_alias(Draw& draw) {
  OpCase one;
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call = [](const variable_list& x) { return alias(x[0]); };
  one.reference = []<typename T>(const PlainList<T>& x) { return x[0]; };
  return one;
}

const RegisterOp alias_row(op_row("alias", "shape", draw_alias));

}  // namespace

Tensor alias(const Tensor& self, At at) {
  const Operation op("alias", at);
  check_operand(op, self);
  return view_as(kAliasDerivative, op, self, self.impl().geometry());
}

Tensor ShapeMembers::alias(At at) const { return notape::alias(self(), at); }

}  // namespace notape
