// unsqueeze(x, dim): a new dimension of size 1; the derivative takes it out again.
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/part.h"
#include "ops/shape/view_op.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

struct NewDim {
  int64_t dim;
};

constexpr auto kUnsqueezeDerivative = derivative(
    "UnsqueezeBackward0",
    movement([](const Tensor& grad, const NewDim& p) { return squeeze(grad, p.dim); },
             [](const Tensor& tangent, const NewDim& p) { return unsqueeze(tangent, p.dim); }));

OpCase draw_unsqueeze(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const int64_t dim = draw.dimension(static_cast<int64_t>(sizes.size()) + 1);
  OpCase one;
  one.label = format_message("{}, dim={}", {to_string(sizes), dim});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return unsqueeze(x[0], dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    const auto rank = static_cast<int64_t>(sizes.size());
    result.sizes.insert(result.sizes.begin() + (dim < 0 ? dim + rank + 1 : dim), 1);
    return result;
  };
  return one;
}

const RegisterOp unsqueeze_row(op_row("unsqueeze", "shape", draw_unsqueeze));

}  // namespace

Tensor unsqueeze(const Tensor& self, Integer dim, At at) {
  const Operation op("unsqueeze", at);
  check_operand(op, self);
  const NewDim place{wrap_dim(op, dim, self.dim() + 1)};
  Part part(self);
  part.unsqueeze(place.dim);
  return view_as(kUnsqueezeDerivative, op, self, part.geometry(), place);
}

Tensor ShapeMembers::unsqueeze(Integer dim, At at) const {
  return notape::unsqueeze(self(), dim, at);
}

Tensor& ShapeMembers::unsqueeze_(Integer dim, At at) const {
  const Operation op("unsqueeze_", at);
  return become(op, self(), [&] { return notape::unsqueeze(self(), dim, at); });
}

}  // namespace notape
