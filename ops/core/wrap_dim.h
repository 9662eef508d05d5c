// A dimension that an operator was given, counted from the front.
#pragma once
#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// As wrap_dim of a tensor, with an IndexError that names the operator.
inline int64_t wrap_dim(const Operation& op, int64_t dim, int64_t rank) {
  const int64_t range = rank > 0 ? rank : 1;
  if (dim < -range || dim >= range) [[unlikely]]
    op.fail<IndexError>("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                        -range, range - 1, dim);
  return dim < 0 ? dim + range : dim;
}

}  // namespace notape
