// Shape operators by the names that NumPy has for them, and with another tensor's sizes.
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {

Tensor expand_as(const Tensor& self, const Tensor& other, At at) {
  const Operation op("expand_as", at);
  check_operand(op, self);
  check_operand(op, other);
  return expand(self, other.sizes(), at);
}
Tensor reshape_as(const Tensor& self, const Tensor& other, At at) {
  const Operation op("reshape_as", at);
  check_operand(op, self);
  check_operand(op, other);
  return reshape(self, other.sizes(), at);
}
Tensor view_as(const Tensor& self, const Tensor& other, At at) {
  const Operation op("view_as", at);
  check_operand(op, self);
  check_operand(op, other);
  return view(self, other.sizes(), at);
}
Tensor ravel(const Tensor& self, At at) {
  check_operand({"ravel", at}, self);
  return reshape(self, {-1}, at);
}
Tensor swapaxes(const Tensor& self, Integer axis0, Integer axis1, At at) {
  check_operand({"swapaxes", at}, self);
  return transpose(self, axis0, axis1, at);
}
Tensor swapdims(const Tensor& self, Integer dim0, Integer dim1, At at) {
  check_operand({"swapdims", at}, self);
  return transpose(self, dim0, dim1, at);
}
Tensor moveaxis(const Tensor& self, IntArrayRef source, IntArrayRef destination, At at) {
  check_operand({"moveaxis", at}, self);
  return movedim(self, source, destination, at);
}

Tensor ShapeMembers::expand_as(const Tensor& other, At at) const {
  return notape::expand_as(self(), other, at);
}
Tensor ShapeMembers::reshape_as(const Tensor& other, At at) const {
  return notape::reshape_as(self(), other, at);
}
Tensor ShapeMembers::view_as(const Tensor& other, At at) const {
  return notape::view_as(self(), other, at);
}
Tensor ShapeMembers::broadcast_to(IntArrayRef size, At at) const {
  return notape::broadcast_to(self(), size, at);
}
Tensor ShapeMembers::tile(IntArrayRef repeats, At at) const {
  return notape::tile(self(), repeats, at);
}
Tensor ShapeMembers::ravel(At at) const { return notape::ravel(self(), at); }
Tensor ShapeMembers::swapaxes(Integer axis0, Integer axis1, At at) const {
  return notape::swapaxes(self(), axis0, axis1, at);
}
Tensor ShapeMembers::swapdims(Integer dim0, Integer dim1, At at) const {
  return notape::swapdims(self(), dim0, dim1, at);
}
Tensor ShapeMembers::moveaxis(IntArrayRef source, IntArrayRef destination, At at) const {
  return notape::moveaxis(self(), source, destination, at);
}

}  // namespace notape
