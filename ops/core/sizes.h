// Sizes that are computed from what a user gave, which may be any number: ShapeErrors that name the
// operator where a sum or product has no place in 64 bits, or no tensor can have the size.
#pragma once
#include "autograd/observer.h"
#include "autograd/tensor/geometry.h"

namespace notape {

inline int64_t size_sum(const Operation& op, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) [[unlikely]]
    op.fail<ShapeError>("a size of {} + {} is too large", a, b);
  return result;
}

inline int64_t size_product(const Operation& op, std::initializer_list<int64_t> factors) {
  int64_t result = 1;
  for (const int64_t factor : factors)
    if (__builtin_mul_overflow(result, factor, &result)) [[unlikely]]
      op.fail<ShapeError>("the number of elements of size {} is too large",
                          to_string(IntArrayRef(factors.begin(), factors.size())));
  return result;
}

/// Rows of a matrix with `size` entries on the diagonal that is `offset` places from the main one.
inline int64_t embedded_size(const Operation& op, int64_t size, int64_t offset) {
  return size_sum(op, size, offset < -INT64_MAX ? INT64_MAX : std::abs(offset));
}

/// Geometry(arguments...), whose errors know no operator.
template <typename... Arguments>
Geometry geometry_of(const Operation& op, const Arguments&... arguments) {
  try {
    return Geometry(arguments...);
  } catch (const ShapeError& error) {
    op.fail<ShapeError>("{}", error.what_without_backtrace());
  }
}

}  // namespace notape
