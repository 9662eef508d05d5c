#include "ops/elementwise/divisors.h"

#include <algorithm>

#include "autograd/batching/batched_tensor.h"

namespace notape {
namespace {

[[noreturn]] void fail_at_zero(const Operation& op) {
  op.fail<ValueError>("integer division by zero (a ZeroDivisionError of LibTorch)");
}

bool has_zero(const Tensor& tensor) {
  Tensor here = tensor;
  if (is_batched(tensor)) here = with_batch_dims(tensor, levels_of({&tensor}), tensor.dim());
  if (!here.device().is_cpu()) {
    const Tensor copy = allocate(here.sizes(), here.dtype(), kCPU);
    raw_copy(copy, here);
    here = copy;
  }
  here = raw_contiguous(here);
  return visit_computed(here.dtype(), [&]<typename T>() {
    const T* first = here.impl().data_as<T>();
    return std::find(first, first + here.numel(), T(0)) != first + here.numel();
  });
}

}  // namespace

void check_divisors(const Operation& op, const Tensor& self, const Tensor& other) {
  check_operands(op, {&self, &other});
  if (!is_floating_point(result_type(self, other)) && has_zero(other)) fail_at_zero(op);
}

void check_divisor(const Operation& op, const Tensor& self, Scalar other) {
  check_operand(op, self);
  const ScalarType type = result_type(self, other);
  if (is_floating_point(type)) return;
  check_fits(op, other, type);
  if (other.to_double() == 0) fail_at_zero(op);
}

Tensor as_divisor(const Operation& op, const Tensor& self, Scalar other) {
  check_divisor(op, self, other);
  return full({}, other, TensorOptions(result_type(self, other)).device(self.device()));
}

}  // namespace notape
