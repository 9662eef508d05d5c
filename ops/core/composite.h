// What an operator that is put together from others has to see to.
#pragma once
#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"

namespace notape {

/// In its scope nothing is recorded if one of the operands is volatile: the result will be, so what
/// is made of the other operands on the way to it needs no node either.
class Composite {
 public:
  explicit Composite(Operands operands) : recording_(detail::composite_records(operands)) {}

 private:
  const AutoGradMode recording_;
};

}  // namespace notape
