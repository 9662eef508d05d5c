// What softmax and log_softmax share: a pass over each slice along a dimension, given its maximum.
#pragma once
#include <limits>

#include "ops/reduce/reduce.h"

namespace notape {

/// For each slice of `self` (outer, size, inner) calls finish(slice, target, step, size, maximum),
/// which writes the slice of the result; entries stand `step` elements apart.
template <typename T, typename F>
void for_slices_with_maximum(const T* self, T* result, const Slices& s, const F& finish) {
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t n = 0; n < s.inner; ++n) {
      const int64_t start = o * s.size * s.inner + n;
      T maximum = -std::numeric_limits<T>::infinity();
      for (int64_t i = 0; i < s.size; ++i) maximum = math::max(maximum, self[start + i * s.inner]);
      finish(self + start, result + start, s.inner, s.size, maximum);
    }
}

/// Runs `f.operator()<T>(self, result, slices)` on a row-major copy of `self` of floating dtype.
/// Throws DtypeError, IndexError.
template <typename F>
Tensor along_slices(const Operation& op, const Tensor& self, int64_t dim, const F& f) {
  check_operands(op, {&self});
  require_cpu(op, self);
  require_floating(op, self);
  const Slices s(self.sizes(), wrap_dim(dim, self.dim()));
  const Tensor source = raw_contiguous(self);
  Tensor result = allocate(self.sizes(), self.dtype(), self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    f(source.impl().data_as<T>(), result.impl().data_as<T>(), s);
  });
  return result;
}

}  // namespace notape
