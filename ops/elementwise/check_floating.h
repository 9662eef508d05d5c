// Operators that LibTorch refuses integers, where others take them as float32.
#pragma once
#include "ops/core/promotion.h"

namespace notape {

/// Throws UndefinedTensor, DeviceError, or DtypeError unless the operands' common type is floating.
inline void check_floating_operand(const Operation& op, const Tensor& self) {
  check_operand(op, self);
  if (!self.is_floating_point()) [[unlikely]]
    op.fail<DtypeError>("not implemented for '{}'", type_name_of(self.dtype()));
}
inline void check_floating_operand(const Operation& op, const Tensor& self, const Tensor& other) {
  check_operands(op, {&self, &other});
  if (const ScalarType type = result_type(self, other); !is_floating_point(type)) [[unlikely]]
    op.fail<DtypeError>("not implemented for '{}'", type_name_of(type));
}

}  // namespace notape
