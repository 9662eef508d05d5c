// For operators that read no number from another device than the rest.
#pragma once
#include "ops/core/promotion.h"

namespace notape {

/// Throws what check_operands() does, and DeviceError for a 0-d operand on the CPU beside others
/// elsewhere: elementwise operators alone take such numbers.
inline void check_on_one_device(const Operation& op,
                                std::initializer_list<const Tensor*> operands) {
  check_operands(op, operands);
  const Device first = (*operands.begin())->device().of_samples();
  for (const Tensor* operand : operands)
    if (operand->device().of_samples() != first)
      op.fail<DeviceError>("Expected all tensors to be on the same device, but found {} and {}",
                           to_string(first), to_string(operand->device()));
}

}  // namespace notape
