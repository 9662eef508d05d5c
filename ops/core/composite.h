// What an operator that is put together from others has to see to.
#pragma once
#include <algorithm>

#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"

namespace notape {

/// In its scope nothing is recorded if one of the operands is volatile: the result will be, so what
/// is made of the other operands on the way to it needs no node either.
class Composite {
 public:
  explicit Composite(std::initializer_list<const Tensor*> operands)
      : recording_(thread_state.grad_mode && !detail::any_volatile(operands)) {}
  explicit Composite(const TensorList& operands)
      : recording_(thread_state.grad_mode &&
                   std::none_of(operands.begin(), operands.end(),
                                [](const Tensor& one) { return one.is_volatile(); })) {}

 private:
  const AutoGradMode recording_;
};

}  // namespace notape
