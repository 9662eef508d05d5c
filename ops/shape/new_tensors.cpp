// new_empty, new_zeros, new_ones, new_full: fresh tensors of x's dtype and on its device, unless
// the options name others.
#include "autograd/tensor/factories.h"
#include "ops/at.h"
#include "ops/core/promotion.h"

namespace notape {
namespace {

/// The options, completed by those of `self`.
TensorOptions completed(const char* name, const Tensor& self, const TensorOptions& options, At at) {
  check_operand({name, at}, self);
  const TensorOptions typed = options.dtype(options.dtype_opt().value_or(self.dtype()));
  return typed.device(options.device_opt().value_or(self.device()));
}

}  // namespace

Tensor ShapeMembers::new_empty(IntArrayRef size, const TensorOptions& options, At at) const {
  return empty(size, completed("new_empty", self(), options, at));
}
Tensor ShapeMembers::new_zeros(IntArrayRef size, const TensorOptions& options, At at) const {
  return zeros(size, completed("new_zeros", self(), options, at));
}
Tensor ShapeMembers::new_ones(IntArrayRef size, const TensorOptions& options, At at) const {
  return ones(size, completed("new_ones", self(), options, at));
}
Tensor ShapeMembers::new_empty(IntArrayRef size, At at) const { return new_empty(size, {}, at); }
Tensor ShapeMembers::new_zeros(IntArrayRef size, At at) const { return new_zeros(size, {}, at); }
Tensor ShapeMembers::new_ones(IntArrayRef size, At at) const { return new_ones(size, {}, at); }
Tensor ShapeMembers::new_full(IntArrayRef size, Scalar value, const TensorOptions& options,
                              At at) const {
  return full(size, value, completed("new_full", self(), options, at));
}
Tensor ShapeMembers::new_full(IntArrayRef size, Scalar value, At at) const {
  return new_full(size, value, {}, at);
}

}  // namespace notape
