// Enclosure: a function of t on a cell, |t| <= radius, as two Taylor series whose coefficients are
// intervals that hold the exact ones: around the cell's middle, and around every point of the cell
// at once, which bounds the remainder of the former. A formula computed on such numbers gives what
// it is as a function of real numbers, without rounding and at no chosen point.
//
// The files of operators are compiled with this header before all others, so that math:: knows
// these numbers where their formulas are read.
#pragma once
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ops/core/device_function.h"

namespace notape::math {

/// A cell on which something cannot be told: a step of floor, or too many comparisons. Halves of
/// it may do.
struct Undecided : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct SeriesPair;  ///< Arb's polynomials (enclosure.cpp)

class Enclosure {
 public:
  Enclosure() : Enclosure(0.0) {}
  template <typename N>
  requires std::is_arithmetic_v<N> Enclosure(N number) : Enclosure(static_cast<double>(number)) {}
  Enclosure(double number);
  explicit Enclosure(std::shared_ptr<const SeriesPair> series) : series_(std::move(series)) {}
  template <typename N>
  requires std::is_arithmetic_v<N>
  explicit operator N() const { return static_cast<N>(truncated()); }
  const SeriesPair& series() const { return *series_; }

  friend Enclosure operator+(const Enclosure& a, const Enclosure& b);
  friend Enclosure operator-(const Enclosure& a, const Enclosure& b);
  friend Enclosure operator*(const Enclosure& a, const Enclosure& b);
  friend Enclosure operator/(const Enclosure& a, const Enclosure& b);
  friend Enclosure operator-(const Enclosure& a);
  Enclosure& operator+=(const Enclosure& b) { return *this = *this + b; }
  Enclosure& operator-=(const Enclosure& b) { return *this = *this - b; }
  Enclosure& operator*=(const Enclosure& b) { return *this = *this * b; }
  Enclosure& operator/=(const Enclosure& b) { return *this = *this / b; }

  /// The sign of a - b on the cell: where it has both, that of the branch that is explored. 0 only
  /// if they are the same. 2 if one is not a number.
  static int order(const Enclosure& a, const Enclosure& b);
  friend bool operator<(const Enclosure& a, const Enclosure& b) { return order(a, b) == -1; }
  friend bool operator>(const Enclosure& a, const Enclosure& b) { return order(a, b) == 1; }
  friend bool operator<=(const Enclosure& a, const Enclosure& b) { return order(a, b) <= 0; }
  friend bool operator>=(const Enclosure& a, const Enclosure& b) { return b <= a; }
  friend bool operator==(const Enclosure& a, const Enclosure& b) { return order(a, b) == 0; }

 private:
  double truncated() const;  ///< towards zero, to a whole number that all of the cell agrees on
  std::shared_ptr<const SeriesPair> series_;
};

/// Goes through all ways in which the comparisons on a cell may turn out: on either side of a kink
/// another formula holds, and both are asked. Of one thread, one at a time.
///   Branches all;
///   do { compute(); } while (all.next());
class Branches {
 public:
  Branches();
  ~Branches();
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;
  /// To the next way; false after the last one.
  bool next();
  /// Whether a comparison of this way was chosen, so that it holds on a part of the cell only.
  bool chose() const { return !taken_.empty(); }

 private:
  friend class Enclosure;
  static constexpr std::size_t kMost = 5;  ///< comparisons that a cell may leave open
  int side_of(const Enclosure& difference);
  struct Choice {
    Enclosure difference;
    int side;
  };
  std::vector<Choice> taken_;
  std::vector<int> planned_;
};

#define NOTAPE_FUNCTION(name, ...) Enclosure name(const Enclosure& x);
#include "ops/core/math_functions.h"
Enclosure lgamma_without_sign(const Enclosure& x);
Enclosure sqrt(const Enclosure& x);
Enclosure floor(const Enclosure& x);
Enclosure ceil(const Enclosure& x);
Enclosure rint(const Enclosure& x);
Enclosure trunc(const Enclosure& x);
Enclosure pow(const Enclosure& x, const Enclosure& y);
Enclosure atan2(const Enclosure& y, const Enclosure& x);
Enclosure hypot(const Enclosure& x, const Enclosure& y);
Enclosure fmod(const Enclosure& x, const Enclosure& y);
bool signbit(const Enclosure& x);
Enclosure abs(const Enclosure& x);
/// Nothing is rounded (ops/core/product_error.h).
inline Enclosure product_error(const Enclosure&, const Enclosure&, const Enclosure&) { return 0; }
inline Enclosure difference_error(const Enclosure&, const Enclosure&, const Enclosure&) {
  return 0;
}
inline Enclosure fused(const Enclosure& a, const Enclosure& b, const Enclosure& c) {
  return a * b + c;
}

}  // namespace notape::math

/// Overflow and underflow, which formulas guard against, are as far off as those of the reference.
template <>
struct std::numeric_limits<notape::math::Enclosure> {
  static constexpr bool is_specialized = true, has_infinity = true, has_quiet_NaN = true;
  static notape::math::Enclosure max();
  static notape::math::Enclosure min();
  static notape::math::Enclosure epsilon() { return 0x1p-112; }
  static notape::math::Enclosure infinity() { return std::numeric_limits<double>::infinity(); }
  static notape::math::Enclosure quiet_NaN() { return std::numeric_limits<double>::quiet_NaN(); }
};
