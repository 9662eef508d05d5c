// clone(x), contiguous(x) and to(x, dtype or device): copies; the gradient passes through.
#include "ops/shape/clone.h"
#include "ops/core/allocate.h"
#include "ops/core/batching.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#include "ops/spec/elementwise_spec.h"

namespace notape {
namespace {

constexpr auto pass_on = [](const Tensor& grad) { return grad; };
constexpr auto kClone = derivative("CloneBackward0", elementwise(pass_on));

struct CopyTo {
  ScalarType dtype;
  Device device;
};
constexpr auto kTo = derivative(
    "ToCopyBackward0",
    elementwise(
        [](const Tensor& grad, const Meta<0>& self) {
          return to(to(grad, self.device()), self.dtype());
        },
        [](const Tensor& tangent, const CopyTo& p) { return to(to(tangent, p.device), p.dtype); }));

struct Identity {
  template <typename T>
  T operator()(T x) const {
    return x;
  }
};

/// self's own dtype or device if none is wanted.
Tensor copy_to(const Operation& op, const Tensor& self, std::optional<ScalarType> wanted,
               std::optional<Device> place, bool waits = true) {
  check_operand(op, self);
  const ScalarType dtype = wanted.value_or(self.dtype());
  const Device device = place.value_or(self.device());
  const bool stays = self.device().of_samples() == device.of_samples();
  if (self.dtype() == dtype && stays) return self;
  if (is_batched(self) && !stays) refuse_batched(op);
  const Geometry& from = self.impl().geometry();
  Tensor result =
      stays ? allocate_like(self, dtype)
            : allocate(from.is_dense() ? from.at_offset(0) : Geometry(from.sizes()), dtype, device);
  if (waits)
    raw_copy(result, self);
  else
    raw_copy_without_waiting(result, self);
  return record(kTo, op, std::move(result), CopyTo{dtype, device}, self);
}

const RegisterOp clone_row(unary_spec<Identity>("clone", clone, nullptr, {}));
const RegisterOp contiguous_row(unary_spec<Identity>("contiguous", contiguous, nullptr, {}));

}  // namespace

Tensor clone_with_strides(const Tensor& self, IntArrayRef strides, At at) {
  const Operation op("clone", at);
  check_operand(op, self);
  Tensor result = allocate_for({&self}, Geometry(self.sizes(), strides, 0), self.dtype());
  raw_copy(result, self);
  return record(kClone, op, std::move(result), NoParameters{}, self);
}

Tensor clone(const Tensor& self, At at) {
  const Operation op("clone", at);
  check_operand(op, self);
  Tensor result = allocate_like(self, self.dtype());
  raw_copy(result, self);
  return record(kClone, op, std::move(result), NoParameters{}, self);
}

Tensor contiguous(const Tensor& self, At at) {
  if (!self.defined()) [[unlikely]]
    check_operand({"contiguous", at}, self);
  if (self.is_contiguous()) return self;
  return clone_with_strides(self, contiguous_strides(self.sizes()), at);
}

Tensor to(const Tensor& self, ScalarType dtype, At at) {
  return copy_to({"to", at}, self, dtype, {});
}
Tensor to(const Tensor& self, Device device, At at) {
  return copy_to({"to", at}, self, {}, device);
}

Tensor to_without_waiting(const Tensor& self, Device device, At at) {
  return copy_to({"to", at}, self, {}, device, /*waits=*/false);
}

Tensor ShapeMembers::clone(At at) const { return notape::clone(self(), at); }
Tensor ShapeMembers::contiguous(At at) const { return notape::contiguous(self(), at); }
Tensor ShapeMembers::to(ScalarType dtype, At at) const { return notape::to(self(), dtype, at); }
Tensor ShapeMembers::to(Device device, At at) const { return notape::to(self(), device, at); }
Tensor ShapeMembers::cpu(At at) const { return notape::to(self(), Device(kCPU), at); }
Tensor ShapeMembers::cuda(At at) const { return notape::to(self(), Device(kCUDA), at); }

}  // namespace notape
