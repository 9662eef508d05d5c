// masked_fill(x, mask, value) = value where the mask holds, else x. Masked entries get exactly no
// gradient.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/core/overwrite.h"
#include "ops/core/promotion.h"
#endif

namespace notape {
namespace {

struct MaskedFill {
  static constexpr TypeSet types = kAllTypes;
  Number value;
  template <typename T>
  using Signature = T(T, bool);
  template <typename T>
  NOTAPE_HD T operator()(T x, bool masked) const {
    return masked ? value.as<T>() : x;
  }
};
const ElementwiseKernel<MaskedFill, 2> masked_fill_kernel("masked_fill");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kMaskedFillDerivative = derivative(
    "MaskedFillBackward0",
    selection([](const Tensor& grad, const Input<1>& mask) { return masked_fill(grad, mask, 0); }),
    not_differentiable);

/// The value as an element of self's type, which never changes.
MaskedFill checked_masked_fill(const Operation& op, const Tensor& self, const Tensor& mask,
                               Scalar value) {
  check_operands(op, {&self, &mask});
  if (mask.dtype() != kBool)
    op.fail<DtypeError>("only supports boolean masks, but got mask with dtype {}",
                        name_of(mask.dtype()));
  check_fits(op, value, self.dtype());
  return {number(value)};
}

Tensor checked_value(const Operation& op, const Tensor& self, const Tensor& mask,
                     const Tensor& value) {
  checked_masked_fill(op, self, mask, 0);
  check_operands(op, {&self, &value});
  if (value.dim() != 0)
    op.fail<ShapeError>(
        "only supports a 0-dimensional value tensor, but got tensor with {} "
        "dimension(s)",
        value.dim());
  return value.to(self.dtype());
}

OpCase draw_masked_fill(Draw& draw) {
  const auto full = draw.shape(0, 4);
  const double value = draw.real(-3, 3);
  const bool in_place = draw.boolean();
  OpCase one;
  one.label = format_message("value={}", {value});
  one.arguments = {{.sizes = in_place ? full : draw.broadcast_of(full)},
                   Argument::boolean(draw.broadcast_of(full))};
  one.call = [=](const variable_list& x) { return masked_fill(x[0], x[1], value); };
  if (in_place) one.call_in_place = [=](variable_list& x) { masked_fill_(x[0], x[1], value); };
  one.reference =
      elementwise_reference([=]<typename T>(T a, T masked) { return masked != 0 ? T(value) : a; });
  return one;
}

const RegisterOp masked_fill_row({.name = "masked_fill",
                                  .family = "elementwise",
                                  .draw = draw_masked_fill,
                                  .traits = Trait::Overwrites});

}  // namespace

Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value, At at) {
  const Operation op("masked_fill", at);
  return binary(masked_fill_kernel, kMaskedFillDerivative, op, self, mask,
                checked_masked_fill(op, self, mask, value));
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, Scalar value, At at) {
  const Operation op("masked_fill_", at);
  return binary_(masked_fill_kernel, kMaskedFillDerivative, op, self, mask,
                 checked_masked_fill(op, self, mask, value));
}
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value, At at) {
  const Operation op("masked_fill", at);
  return where(mask, checked_value(op, self, mask, value), self, at);
}
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value, At at) {
  const Operation op("masked_fill_", at);
  const Tensor filler = checked_value(op, self, mask, value);
  if (!is_expandable_to(mask.sizes(), self.sizes()))
    op.fail<ShapeError>("mask of size {} cannot be expanded to {}", to_string(mask.sizes()),
                        to_string(self.sizes()));
  return overwrite(op, self, where(mask, filler, self, at));
}

Tensor ElementwiseMembers::masked_fill(const Tensor& mask, Scalar value, At at) const {
  return notape::masked_fill(self(), mask, value, at);
}
Tensor ElementwiseMembers::masked_fill(const Tensor& mask, const Tensor& value, At at) const {
  return notape::masked_fill(self(), mask, value, at);
}
Tensor& ElementwiseMembers::masked_fill_(const Tensor& mask, Scalar value, At at) const {
  return notape::masked_fill_(self(), mask, value, at);
}
Tensor& ElementwiseMembers::masked_fill_(const Tensor& mask, const Tensor& value, At at) const {
  return notape::masked_fill_(self(), mask, value, at);
}
#endif

}  // namespace notape
