// x.to(..., non_blocking, copy): LibTorch's longer forms of to().
#include "autograd/tensor/factories.h"
#include "autograd/tensor/refuse_options.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"
#include "ops/shape/clone.h"

namespace notape {
namespace {

/// `converted`, in memory of its own if a copy is asked for.
Tensor copied(const Tensor& self, const Tensor& converted, bool copy, const At& at) {
  return copy && converted.is_alias_of(self) ? clone(converted, at) : converted;
}

Tensor moved(const Tensor& self, Device device, ScalarType dtype, bool non_blocking, bool copy,
             const At& at) {
  check_operand({"to", at}, self);
  // What is converted on the way is not in pinned memory.
  const bool waits = !non_blocking || self.dtype() != dtype;
  const Tensor result = waits ? to(self, device, dtype, at) : to_without_waiting(self, device, at);
  return copied(self, result, copy, at);
}

}  // namespace

Tensor ShapeMembers::to(ScalarType dtype, bool, bool copy, At at) const {
  return copied(self(), to(dtype, at), copy, at);
}
Tensor ShapeMembers::to(Device device, bool non_blocking, bool copy, At at) const {
  check_operand({"to", at}, self());
  return moved(self(), device, self().dtype(), non_blocking, copy, at);
}
Tensor ShapeMembers::to(Device device, ScalarType dtype, bool non_blocking, bool copy,
                        At at) const {
  return moved(self(), device, dtype, non_blocking, copy, at);
}
Tensor ShapeMembers::to(const Tensor& other, bool non_blocking, bool copy, At at) const {
  check_operand({"to", at}, other);
  return moved(self(), other.device().of_samples(), other.dtype(), non_blocking, copy, at);
}
template <std::same_as<TensorOptions> Options>
Tensor ShapeMembers::to(const Options& options, bool non_blocking, bool copy, At at) const {
  check_operand({"to", at}, self());
  refuse_requires_grad("to", options);
  refuse_pinned_memory("to", options);
  return moved(self(), options.device_opt().value_or(self().device()),
               options.dtype_opt().value_or(self().dtype()), non_blocking, copy, at);
}
template <std::same_as<TensorOptions> Options>
Tensor ShapeMembers::to(const Options& options, At at) const {
  return to(options, /*non_blocking=*/false, /*copy=*/false, at);
}
template Tensor ShapeMembers::to(const TensorOptions& options, bool, bool, At at) const;
template Tensor ShapeMembers::to(const TensorOptions& options, At at) const;

Tensor ShapeMembers::toType(ScalarType dtype, At at) const { return notape::to(self(), dtype, at); }

}  // namespace notape
