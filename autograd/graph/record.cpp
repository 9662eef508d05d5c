#include "autograd/graph/record.h"

namespace notape::detail {

bool any_volatile(std::initializer_list<const Tensor*> operands) {
  for (const Tensor* operand : operands)
    if (operand->defined() && operand->is_volatile()) return true;
  return false;
}

}  // namespace notape::detail
