// Uninitialised results for kernels, without the checks of the public factories.
#pragma once
#include "autograd/batching/batched_tensor.h"

namespace notape {

[[gnu::always_inline]] inline Tensor allocate(Geometry geometry, ScalarType dtype, Device device) {
  const auto bytes = static_cast<std::size_t>(geometry.numel()) * element_size(dtype);
  return Tensor(Ref<TensorImpl>::adopt(
      new TensorImpl(Storage::allocate(bytes, device), std::move(geometry), dtype)));
}
inline Tensor allocate(IntArrayRef sizes, ScalarType dtype, Device device) {
  return allocate(Geometry(sizes), dtype, device);
}
/// For a result that depends on `sources`, the first of them defined: on its device, and batched
/// over the levels of all.
Tensor allocate_for(std::initializer_list<const Tensor*> sources, Geometry geometry,
                    ScalarType dtype);
/// The same, row-major and zero.
Tensor zeros_for(std::initializer_list<const Tensor*> sources, IntArrayRef sizes, ScalarType dtype);

/// The shape of `like`, and its strides if it is dense, else row-major.
inline Tensor allocate_like(const Tensor& like, ScalarType dtype) {
  const Geometry& geometry = like.impl().geometry();
  return allocate_for(
      {&like}, geometry.is_dense() ? geometry.at_offset(0) : Geometry(geometry.sizes()), dtype);
}

/// The same values as a plain tensor outside any graph or family, for kernels to work on.
inline Tensor raw_alias(const Tensor& value, Geometry geometry) {
  return Tensor(Ref<TensorImpl>::adopt(
      new TensorImpl(value.impl().storage(), std::move(geometry), value.dtype())));
}
/// `value` itself if row-major, else a row-major copy; no graph.
Tensor raw_contiguous(const Tensor& value);
/// Element by element with conversion and broadcasting; no graph, version or log.
void raw_copy(const Tensor& target, const Tensor& source);
/// The same; from pinned memory to a device it may still be under way on return.
void raw_copy_without_waiting(const Tensor& target, const Tensor& source);
/// `value` in another dtype (itself if it has it already); no graph.
Tensor raw_convert(const Tensor& value, ScalarType dtype);

}  // namespace notape
