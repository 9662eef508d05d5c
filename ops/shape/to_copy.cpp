// _to_copy(x, dtype, device): always a copy. to(x, device, dtype), to(x, other) and type_as(x,
// other): one only if something changes.
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"
#include "ops/spec/elementwise_spec.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

OpCase draw_to_copy(Draw& draw) {
  OpCase one;
  const bool named = draw.boolean();
  one.label = named ? "dtype" : "";
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call = [=](const variable_list& x) {
    return named ? _to_copy(x[0], x[0].dtype()) : _to_copy(x[0]);
  };
  one.reference = []<typename T>(const PlainList<T>& x) { return x[0]; };
  return one;
}

const RegisterOp to_copy_row(op_row("_to_copy", "shape", draw_to_copy));

}  // namespace

Tensor _to_copy(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Device> device,
                At at) {
  const Operation op("_to_copy", at);
  check_operand(op, self);
  const Composite composite({&self});
  // Fewer bytes travel if the smaller type does.
  const ScalarType type = dtype.value_or(self.dtype());
  const bool first = element_size(type) <= element_size(self.dtype());
  Tensor result = first ? to(self, type, at) : self;
  if (device) result = to(result, *device, at);
  result = to(result, type, at);
  return result.is_same(self) ? clone(self, at) : result;
}

Tensor to(const Tensor& self, Device device, ScalarType dtype, At at) {
  const Operation op("to", at);
  check_operand(op, self);
  if (self.dtype() == dtype) return to(self, device, at);
  if (self.device().of_samples() == device.of_samples()) return to(self, dtype, at);
  return _to_copy(self, dtype, device, at);
}

Tensor to(const Tensor& self, const Tensor& other, At at) {
  const Operation op("to", at);
  check_operand(op, self);
  check_operand(op, other);
  return to(self, other.device().of_samples(), other.dtype(), at);
}

Tensor type_as(const Tensor& self, const Tensor& other, At at) {
  const Operation op("type_as", at);
  check_operand(op, other);
  return to(self, other, at);
}

Tensor ShapeMembers::_to_copy(std::optional<ScalarType> dtype, std::optional<Device> device,
                              At at) const {
  return notape::_to_copy(self(), dtype, device, at);
}
Tensor ShapeMembers::to(Device device, ScalarType dtype, At at) const {
  return notape::to(self(), device, dtype, at);
}
Tensor ShapeMembers::to(const Tensor& other, At at) const { return notape::to(self(), other, at); }
Tensor ShapeMembers::type_as(const Tensor& other, At at) const {
  return notape::type_as(self(), other, at);
}

}  // namespace notape
