// TensorOperators: the member spelling of operators, x.tanh() for tanh(x), a header for each
// family. They are declared only; each is defined beside its operator in ops/, so the core still
// knows nothing about arithmetic. By LibTorch's rule, what works on one tensor above all is a
// member, and so is every in-place form; what makes tensors, joins several, or is a layer or a loss
// is a function only.
#pragma once
#include <concepts>

#include "autograd/tensor/members/elementwise.h"
#include "autograd/tensor/members/index.h"
#include "autograd/tensor/members/linalg.h"
#include "autograd/tensor/members/random.h"
#include "autograd/tensor/members/reduce.h"
#include "autograd/tensor/members/shape.h"

namespace notape {

// Operands of C++ operators, which take no defaulted argument, with the line they were written on.

class Operand {
 public:
  Operand(const Tensor& value, SourceLocation where = SourceLocation::current())
      : tensor(value), at(where) {}
  const Tensor& tensor;
  SourceLocation at;
};

class NumberOperand {
 public:
  template <std::convertible_to<Scalar> T>
  NumberOperand(T value, SourceLocation where = SourceLocation::current())
      : number(value), at(where) {}
  Scalar number;
  SourceLocation at;
};

/// In-place forms are const, as in LibTorch: they write values and leave the handle as it is.
class TensorOperators : public ElementwiseMembers,
                        public ReduceMembers,
                        public LinalgMembers,
                        public ShapeMembers,
                        public IndexMembers,
                        public RandomMembers {};

}  // namespace notape
