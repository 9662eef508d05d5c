// WideDual: a number in 113 bits with its slope along a line. A formula computed on such numbers
// gives its exact derivative, without steps, on the branches that it took; and every comparison on
// the way is noted in the open BranchTrace, which knows how far along the line they keep their
// outcome.
#pragma once
#include <concepts>
#include <vector>

#include "ops/core/device_function.h"

namespace notape::math {

/// value + t slope, to first order in t.
class WideDual {
 public:
  Wide value = 0, slope = 0;
  bool moves = false;  ///< no constant, though its slope may be 0

  WideDual() = default;
  WideDual(Wide at, Wide along) : WideDual(at, along, along != 0) {}
  WideDual(Wide at, Wide along, bool is_no_constant)
      : value(at), slope(along), moves(is_no_constant) {}
  template <typename N>
  requires std::convertible_to<N, Wide> WideDual(N constant) : value(static_cast<Wide>(constant)) {}
  /// As a branch: the comparison with the nearest whole number.
  explicit operator int64_t() const;

  friend WideDual operator+(const WideDual& a, const WideDual& b) {
    return {a.value + b.value, a.slope + b.slope, a.moves || b.moves};
  }
  friend WideDual operator-(const WideDual& a, const WideDual& b) {
    return {a.value - b.value, a.slope - b.slope, a.moves || b.moves};
  }
  friend WideDual operator*(const WideDual& a, const WideDual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope, a.moves || b.moves};
  }
  friend WideDual operator/(const WideDual& a, const WideDual& b) {
    const Wide quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value, a.moves || b.moves};
  }
  friend WideDual operator-(const WideDual& a) { return {-a.value, -a.slope, a.moves}; }
  WideDual& operator+=(const WideDual& b) { return *this = *this + b; }
  WideDual& operator-=(const WideDual& b) { return *this = *this - b; }
  WideDual& operator*=(const WideDual& b) { return *this = *this * b; }
  WideDual& operator/=(const WideDual& b) { return *this = *this / b; }

  friend bool operator<(const WideDual& a, const WideDual& b) {
    return noted(a, b, a.value < b.value);
  }
  friend bool operator<=(const WideDual& a, const WideDual& b) {
    return noted(a, b, a.value <= b.value);
  }
  friend bool operator==(const WideDual& a, const WideDual& b) {
    return noted(a, b, a.value == b.value);
  }
  friend bool operator>(const WideDual& a, const WideDual& b) { return b < a; }
  friend bool operator>=(const WideDual& a, const WideDual& b) { return b <= a; }

  /// Writes a comparison down in the open trace and returns its outcome.
  static bool noted(const WideDual& a, const WideDual& b, bool outcome);
};

/// The comparisons that this thread makes while it lives, in order. Of several the last one opened
/// is written to.
class BranchTrace {
 public:
  struct Comparison {
    WideDual gap;  ///< of the two sides
    bool outcome;
  };

  BranchTrace();
  ~BranchTrace();
  BranchTrace(const BranchTrace&) = delete;
  BranchTrace& operator=(const BranchTrace&) = delete;

  const std::vector<Comparison>& comparisons() const { return comparisons_; }
  /// How far along the line, to either side, the first comparison turns: 0 on a tie, infinite if
  /// none does. To first order, so exact where gaps are linear.
  Wide distance() const;

 private:
  friend class WideDual;
  std::vector<Comparison> comparisons_;
  BranchTrace* outer_;
};

}  // namespace notape::math
