#include "ops/core/allocate.h"

#include "autograd/tensor/factories.h"

namespace notape {

Tensor allocate_for(std::initializer_list<const Tensor*> sources, Geometry geometry,
                    ScalarType dtype) {
  const Tensor& first = **sources.begin();
  for (const Tensor* source : sources)
    if (is_batched(*source))
      return allocate_batched(levels_of(sources), geometry, dtype, first.device());
  return allocate(std::move(geometry), dtype, first.device());
}

Tensor zeros_for(std::initializer_list<const Tensor*> sources, IntArrayRef sizes,
                 ScalarType dtype) {
  const Tensor& first = **sources.begin();
  for (const Tensor* source : sources)
    if (is_batched(*source)) {
      const Tensor result = allocate_for(sources, Geometry(sizes), dtype);
      raw_copy(result, zeros({}, dtype).to(first.device()));
      return result;
    }
  return zeros(sizes, TensorOptions(dtype).device(first.device()));
}

}  // namespace notape
