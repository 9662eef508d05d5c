// Division with whole quotients: what remainder, fmod and div with a rounding mode share.
#pragma once
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"

namespace notape {

/// Throws ValueError if integers would be divided by a zero. Of one element type, `type`.
void check_divisors(const Operation& op, const Tensor& self, const Tensor& other);
void check_divisor(const Operation& op, const Tensor& self, Scalar other);

/// A number as an operand of whole division by it: 0-d, and of a type that does not widen self's
/// unless it has a higher category.
Tensor as_divisor(const Operation& op, const Tensor& self, Scalar other);

}  // namespace notape
#endif
