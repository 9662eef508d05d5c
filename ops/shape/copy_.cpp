// x.copy_(y): overwrites x with y, broadcast and converted; the old value's gradient is zero.
// x.fill_(c) and x.zero_(): the same with a number.
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/overwritten.h"
#include "ops/elementwise/compute.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

constexpr auto nothing = [](const Tensor& tangent) { return zeros_like(tangent); };
constexpr auto overwritten = [](const Tensor& grad) { return gradient_of_overwritten(grad); };
constexpr auto kCopy = derivative(
    "CopyBackwards", rule(overwritten, nothing),
    elementwise([](const Tensor& grad,
                   const Meta<1>& source) { return to(to(grad, source.device()), source.dtype()); },
                [](const Tensor& tangent, const Meta<0>& self) {
                  return to(to(tangent, self.device()), self.dtype());
                }));
constexpr auto kFill = derivative("FillBackward0", rule(overwritten, nothing));

OpCase draw_copy(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  OpCase one;
  one.label = to_string(sizes);
  one.arguments = {{.sizes = sizes}, {.sizes = draw.broadcast_of(sizes)}};
  one.call_in_place = [](variable_list& x) { copy_(x[0], x[1]); };
  one.call = [](const variable_list& x) {
    Tensor target = clone(x[0]);
    return copy_(target, x[1]);
  };
  one.reference = elementwise_reference([]<typename T>(T, T source) { return source; });
  return one;
}

OpCase draw_fill(Draw& draw) {
  const double value = draw.real(-2, 2);
  OpCase one;
  one.label = format_message("value={}", {value});
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call_in_place = [=](variable_list& x) { fill_(x[0], value); };
  one.call = [=](const variable_list& x) {
    Tensor target = clone(x[0]);
    return fill_(target, value);
  };
  one.reference = elementwise_reference([=]<typename T>(T) { return T(value); });
  return one;
}

const RegisterOp copy_row(op_row("copy", "shape", draw_copy,
                                 Trait::Broadcasts | Trait::Overwrites));
const RegisterOp fill_row(op_row("fill", "shape", draw_fill, Trait::Overwrites));

}  // namespace

Tensor& copy_(Tensor& self, const Tensor& source, At at) {
  return copy_(self, source, /*non_blocking=*/false, at);
}

Tensor& copy_(Tensor& self, const Tensor& source, bool non_blocking, At at) {
  const Operation op("copy_", at);
  if (!self.defined() || !source.defined()) op.fail<UndefinedTensor>("an operand is undefined");
  check_result_fits(op, self, self.dtype(), {&source});
  if (self.is_same(source)) return self;
  const auto copy = [&] {
    if (non_blocking)
      raw_copy_without_waiting(self, source);
    else
      raw_copy(self, source);
  };
  write_in_place(kCopy, op, self, copy, NoParameters{}, self, source);
  if (thread_state.forward_call) [[unlikely]]  // the old values are gone
    detail::note_forward_write(self, /*keeps_old=*/false, detail::loses_gradient(source));
  return self;
}

Tensor& fill_(Tensor& self, Scalar value, At at) {
  const Operation op("fill_", at);
  if (!self.defined()) op.fail<UndefinedTensor>("the tensor is undefined");
  check_fits(op, value, self.dtype());
  write_in_place(
      kFill, op, self, [&] { raw_copy(self, scalar_tensor(value, self.dtype())); }, NoParameters{},
      self);
  if (thread_state.forward_call) [[unlikely]]
    detail::note_forward_write(self, /*keeps_old=*/false, /*loses=*/false);
  return self;
}

Tensor& fill_(Tensor& self, const Tensor& value, At at) {
  const Operation op("fill_", at);
  if (!value.defined()) op.fail<UndefinedTensor>("an operand is undefined");
  if (value.dim() != 0)
    op.fail<ShapeError>("only supports 0-dimension value tensor but got tensor with {} dimensions",
                        value.dim());
  return copy_(self, value, at);
}

Tensor& zero_(Tensor& self, At at) { return fill_(self, 0, at); }

Tensor& ShapeMembers::copy_(const Tensor& source, At at) const {
  return notape::copy_(self(), source, at);
}
Tensor& ShapeMembers::copy_(const Tensor& source, bool non_blocking, At at) const {
  return notape::copy_(self(), source, non_blocking, at);
}
Tensor& ShapeMembers::fill_(Scalar value, At at) const { return notape::fill_(self(), value, at); }
Tensor& ShapeMembers::fill_(const Tensor& value, At at) const {
  return notape::fill_(self(), value, at);
}
Tensor& ShapeMembers::zero_(At at) const { return notape::zero_(self(), at); }

}  // namespace notape
