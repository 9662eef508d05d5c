// x.copy_(y): overwrites x with y, broadcast and converted; the old value's gradient is zero.
// x.fill_(c) and x.zero_(): the same with a number.
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/elementwise/elementwise.h"
#include "ops/ops.h"

namespace notape {
namespace {

constexpr auto nothing = [](const Tensor& grad) { return grad * 0; };
// The overwritten value gets no gradient at all: undefined stands for zero.
constexpr auto overwritten = [](const Tensor&) { return Tensor(); };
constexpr auto kCopy =
    derivative("CopyBackwards", rule(overwritten, nothing),
               rule(
                   [](const Tensor& grad, const Meta<1>& source) {
                     return to(to(grad, source.device()), source.dtype());
                   },
                   [](const Tensor& tangent, const Meta<0>& self) {
                     return to(to(tangent, self.device()), self.dtype());
                   }));
constexpr auto kFill = derivative("FillBackward0", rule(overwritten, nothing));

}  // namespace

Tensor& copy_(Tensor& self, const Tensor& source, At at) {
  const Operation op("copy_", at);
  if (!self.defined() || !source.defined()) op.fail<UndefinedTensor>("an operand is undefined");
  check_result_fits(op, self, self.dtype(), {&source});
  if (self.is_same(source)) return self;
  write_in_place(
      kCopy, op, self, [&] { raw_copy(self, source); }, NoParameters{}, self, source);
  return self;
}

Tensor& fill_(Tensor& self, Scalar value, At at) {
  const Operation op("fill_", at);
  if (!self.defined()) op.fail<UndefinedTensor>("the tensor is undefined");
  write_in_place(
      kFill, op, self, [&] { raw_copy(self, scalar_tensor(value, self.dtype())); },
      NoParameters{}, self);
  return self;
}

Tensor& zero_(Tensor& self, At at) { return fill_(self, 0, at); }

Tensor& TensorOperators::copy_(const Tensor& source, At at) {
  return notape::copy_(self(), source, at);
}
Tensor& TensorOperators::fill_(Scalar value, At at) { return notape::fill_(self(), value, at); }
Tensor& TensorOperators::zero_(At at) { return notape::zero_(self(), at); }

}  // namespace notape
