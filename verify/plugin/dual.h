// Dual: a number that carries its derivative along one direction through a computation, for plugins
// (operator.h) and without anything of notape's but what it needs of a compiler.
#pragma once
#include "autograd/language.h"  // first

#include <cmath>
#include <compare>
#include <type_traits>

namespace notape::plugin {

/// A number and its derivative along one direction.
template <typename U>
struct Dual {
  U value = 0, slope = 0;

  Dual() = default;
  template <typename N>
  requires std::is_arithmetic_v<N> Dual(N number) : value(static_cast<U>(number)) {}
  Dual(U v, U s) : value(v), slope(s) {}
  explicit operator double() const { return static_cast<double>(value); }

  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator-(Dual a) { return {-a.value, -a.slope}; }
  friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(Dual a, Dual b) {
    const U quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  Dual& operator+=(Dual b) { return *this = *this + b; }
  Dual& operator-=(Dual b) { return *this = *this - b; }
  Dual& operator*=(Dual b) { return *this = *this * b; }
  Dual& operator/=(Dual b) { return *this = *this / b; }
  friend bool operator==(Dual a, Dual b) { return a.value == b.value; }
  friend auto operator<=>(Dual a, Dual b) { return a.value <=> b.value; }

  /// f(x) from its value and its derivative there.
  Dual chain(U f, U derivative) const { return {f, slope == 0 ? U(0) : derivative * slope}; }
  friend Dual exp(Dual x) { return x.chain(std::exp(x.value), std::exp(x.value)); }
  friend Dual expm1(Dual x) { return x.chain(std::expm1(x.value), std::exp(x.value)); }
  friend Dual log(Dual x) { return x.chain(std::log(x.value), 1 / x.value); }
  friend Dual log1p(Dual x) { return x.chain(std::log1p(x.value), 1 / (1 + x.value)); }
  friend Dual log2(Dual x) { return x.chain(std::log2(x.value), 1 / (x.value * std::log(U(2)))); }
  friend Dual sqrt(Dual x) { return x.chain(std::sqrt(x.value), U(0.5) / std::sqrt(x.value)); }
  friend Dual cbrt(Dual x) {
    const U root = std::cbrt(x.value);
    return x.chain(root, 1 / (3 * root * root));
  }
  friend Dual sin(Dual x) { return x.chain(std::sin(x.value), std::cos(x.value)); }
  friend Dual cos(Dual x) { return x.chain(std::cos(x.value), -std::sin(x.value)); }
  friend Dual tan(Dual x) { return sin(x) / cos(x); }
  friend Dual asin(Dual x) {
    return x.chain(std::asin(x.value), 1 / std::sqrt((1 - x.value) * (1 + x.value)));
  }
  friend Dual acos(Dual x) {
    return x.chain(std::acos(x.value), -1 / std::sqrt((1 - x.value) * (1 + x.value)));
  }
  friend Dual atan(Dual x) { return x.chain(std::atan(x.value), 1 / (1 + x.value * x.value)); }
  friend Dual atan2(Dual y, Dual x) {
    const U square = x.value * x.value + y.value * y.value;
    return {std::atan2(y.value, x.value), (x.value * y.slope - y.value * x.slope) / square};
  }
  friend Dual sinh(Dual x) { return x.chain(std::sinh(x.value), std::cosh(x.value)); }
  friend Dual cosh(Dual x) { return x.chain(std::cosh(x.value), std::sinh(x.value)); }
  friend Dual tanh(Dual x) {
    const U c = std::cosh(x.value);  // not 1 - tanh^2, which cancels
    return x.chain(std::tanh(x.value), 1 / (c * c));
  }
  friend Dual erf(Dual x) { return x.chain(std::erf(x.value), gauss(x.value)); }
  friend Dual erfc(Dual x) { return x.chain(std::erfc(x.value), -gauss(x.value)); }
  friend Dual pow(Dual x, Dual n) {
    const U power = std::pow(x.value, n.value);
    U slope = 0;
    if (x.slope != 0 && n.value != 0) slope += n.value * std::pow(x.value, n.value - 1) * x.slope;
    if (n.slope != 0) slope += power * std::log(x.value) * n.slope;
    return {power, slope};
  }
  friend Dual hypot(Dual x, Dual y) {
    const U h = std::hypot(x.value, y.value);
    return {h, (x.value * x.slope + y.value * y.slope) / h};
  }
  friend Dual abs(Dual x) { return x.value < 0 ? -x : x; }
  friend Dual fabs(Dual x) { return abs(x); }
  friend Dual fmax(Dual x, Dual y) { return x < y ? y : x; }
  friend Dual fmin(Dual x, Dual y) { return y < x ? y : x; }
  friend Dual floor(Dual x) { return std::floor(x.value); }
  friend Dual ceil(Dual x) { return std::ceil(x.value); }
  friend Dual round(Dual x) { return std::round(x.value); }
  friend bool isfinite(Dual x) { return std::isfinite(x.value); }
  friend bool isnan(Dual x) { return std::isnan(x.value); }

 private:
  static U gauss(U x) { return U(1.12837916709551257389615890312154517L) * std::exp(-x * x); }
};

}  // namespace notape::plugin
