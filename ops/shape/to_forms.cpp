// x.to(..., non_blocking, copy): LibTorch's longer forms of to().
#include "autograd/tensor/factories.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// `converted`, in memory of its own if a copy is asked for.
Tensor copied(const Tensor& self, const Tensor& converted, bool copy, const At& at) {
  return copy && converted.is_alias_of(self) ? clone(converted, at) : converted;
}

}  // namespace

Tensor ShapeMembers::to(ScalarType dtype, bool, bool copy, At at) const {
  return copied(self(), to(dtype, at), copy, at);
}
Tensor ShapeMembers::to(Device device, bool, bool copy, At at) const {
  return copied(self(), to(device, at), copy, at);
}
Tensor ShapeMembers::to(Device device, ScalarType dtype, bool, bool copy, At at) const {
  return copied(self(), to(device, dtype, at), copy, at);
}
Tensor ShapeMembers::to(const Tensor& other, bool, bool copy, At at) const {
  return copied(self(), to(other, at), copy, at);
}
template <std::same_as<TensorOptions> Options>
Tensor ShapeMembers::to(const Options& options, bool, bool copy, At at) const {
  return copied(self(), to(options, at), copy, at);
}
template Tensor ShapeMembers::to(const TensorOptions& options, bool, bool, At at) const;

Tensor ShapeMembers::toType(ScalarType dtype, At at) const { return notape::to(self(), dtype, at); }

}  // namespace notape
