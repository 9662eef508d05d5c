// Functions without a derivative: nothing is recorded, but observers are told of the operands.
#pragma once
#include "ops/core/promotion.h"
#include "ops/elementwise/compute.h"

namespace notape {

/// compute(), of checked operands.
template <typename Kernel, typename... Inputs>
Tensor compute_unrecorded(const Operation& op, const Kernel& kernel,
                          const typename Kernel::Functor& f, const Inputs&... inputs) {
  check_operands(op, {&inputs...});
  return compute(op, kernel, f, inputs...);
}

}  // namespace notape
