// Tensors of random elements, made where they are wanted.
#pragma once
#include "autograd/tensor/random_elements.h"
#include "ops/core/kernel_slot.h"

namespace notape {

/// Fills `result`, row-major, with elements of the stream's numbers.
using DrawKernel = Kernel<void(const Operation&, const Tensor& result, const RandomStream& stream,
                               const RandomElements& elements)>;
extern DrawKernel draw_kernel;
/// On the CPU; no operator.
void draw_on_cpu(const Tensor& result, const RandomStream& stream, const RandomElements& elements);

/// A row-major tensor on `device`, one draw for each entry, whatever the strides of an input;
/// inside vmap as its call wants it.
Tensor draw_elements(const Operation& op, IntArrayRef sizes, ScalarType type, Device device,
                     const RandomElements& elements);

}  // namespace notape
