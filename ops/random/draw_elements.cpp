#include "ops/random/draw_elements.h"

#include "autograd/batching/vmap_scope.h"
#include "ops/core/allocate.h"

namespace notape {

Tensor draw_elements(const Operation& op, IntArrayRef sizes, ScalarType type, Device device,
                     const RandomElements& elements) {
  return draw_in_vmap(op.name, sizes, [&](IntArrayRef all) {
    const Tensor result = allocate(all, type, device.of_samples());
    draw_kernel(op, type, result.device(), result, RandomStream(default_generator()), elements);
    return result;
  });
}

}  // namespace notape
