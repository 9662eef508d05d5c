// At: the user's line, defaulted at the end of every public operator's parameters.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

using At = SourceLocation;

/// A tensor operand of a C++ operator, with the line it was written on.
class Operand {
 public:
  Operand(const Tensor& value, At where = At::current()) : tensor(value), at(where) {}
  const Tensor& tensor;
  At at;
};

}  // namespace notape
