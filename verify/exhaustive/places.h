// Errors in units in the last place, by doubles, so that billions can be judged.
#pragma once
#include <algorithm>
#include <bit>

#include "verify/exhaustive/walk.h"

namespace notape::verify::exhaustive {

/// How many units in the last place there are in 1, times the distance of numbers around `size`.
struct Places {
  int digits, lowest;
  explicit Places(ScalarType dtype)
      : digits(element_type(dtype).digits), lowest(element_type(dtype).lowest_exponent) {}
  /// 1 / (a last place of y)
  double per_unit(double y) const {
    const auto exponent = static_cast<int64_t>(std::bit_cast<uint64_t>(y) >> 52 & 0x7ff) - 1023;
    const int64_t place = std::max<int64_t>(exponent - digits + 1, lowest);
    return std::bit_cast<double>(static_cast<uint64_t>(1023 - place) << 52);
  }
};

/// A larger error than this is worth measuring: of those below any rounding's the order of size
/// will do.
inline double worth_measuring(const Worst& worst) {
  return worst.places < 0.4 ? std::max(2 * worst.places, 1e-6) : worst.places * (1 + 0x1p-10);
}

}  // namespace notape::verify::exhaustive
