// Scalar: a C++ number used as an operand. It stays an immediate and never becomes a tensor.
//
// Note [Numbers that do not fit]
// A number becomes an element of some type in many places, and always by LibTorch's rule, which is
// here: a number outside the type's range, and NaN for a type without it, raises ValueError.
// Fractions are cut off; float takes infinities and bool everything. LibTorch takes negative
// numbers for uint8, which it counts from 256; here only arithmetic does, where adding -1 must
// subtract. Conversions from tensor to tensor do not ask: there LibTorch's rule is C++'s.
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "autograd/tensor/scalar_type.h"

namespace notape {

/// "int", as LibTorch's errors name an element type.
constexpr const char* c_name_of(ScalarType type) { return element_type(type).c_name; }

class Scalar {
 public:
  Scalar() : integer_(0) {}
  template <std::floating_point T>
  Scalar(T value) : floating_(static_cast<double>(value)), type_(ScalarType::Double) {}
  Scalar(Half value) : Scalar(static_cast<float>(value)) {}
  Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}
  Scalar(Bool value) : Scalar(static_cast<bool>(value)) {}
  /// Throws ValueError for unsigned numbers beyond int64.
  template <std::integral T>
  Scalar(T value) : integer_(static_cast<int64_t>(value)) {
    if constexpr (std::same_as<T, bool>)
      type_ = ScalarType::Bool;
    else if constexpr (std::unsigned_integral<T> && sizeof(T) >= sizeof(int64_t))
      if (integer_ < 0) [[unlikely]]
        throw_does_not_fit("int64_t", nullptr);
  }

  /// Double, Long or Bool: only its category takes part in promotion.
  ScalarType type() const { return type_; }
  bool is_floating_point() const { return type_ == ScalarType::Double; }

  /// Whether T can hold it, see the note above.
  template <typename T>
  bool fits() const {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::same_as<Stored<T>, Bool> || std::same_as<T, double>) {
      return true;
    } else if constexpr (is_floating_v<T>) {
      const double value = is_floating_point() ? floating_ : static_cast<double>(integer_);
      return !(std::isfinite(value) && std::abs(value) > static_cast<double>(Limits::max()));
    } else {
      if (is_floating_point()) {  // both ends are exact
        const double whole = std::trunc(floating_), end = std::ldexp(1.0, Limits::digits);
        return whole >= (Limits::is_signed ? -end : 0.0) && whole < end;
      }
      return is_within<T>(integer_);
    }
  }
  bool fits(ScalarType type) const {
    return visit_type(type, [this]<typename T>() { return fits<T>(); });
  }

  /// Throws ValueError, naming `caller` if there is one, unless it fits.
  template <typename T>
  T to(const char* caller = nullptr) const {
    if (!fits<T>()) [[unlikely]]
      throw_does_not_fit(name_for_errors<T>(), caller);
    return is_floating_point() ? static_cast<T>(floating_) : static_cast<T>(integer_);
  }
  /// For formulas that read it as a real number where it is no integer.
  int64_t to_int_or(int64_t other) const {
    if (!is_floating_point()) return integer_;
    return fits<int64_t>() ? static_cast<int64_t>(floating_) : other;
  }
  double to_double() const { return to<double>(); }
  int64_t to_int() const { return to<int64_t>(); }
  // LibTorch's names
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }

  /// Throws ValueError for the smallest integer.
  Scalar operator-() const {
    if (is_floating_point()) return Scalar(-floating_);
    if (integer_ == std::numeric_limits<int64_t>::min()) [[unlikely]]
      throw_does_not_fit("int64_t", "negation");
    return Scalar(-integer_);
  }
  bool equals(double value) const { return to_double() == value; }

 private:
  template <typename T>
  static bool is_within(int64_t value) {
    using Limits = std::numeric_limits<T>;
    if constexpr (!Limits::is_signed)
      return value >= 0 && static_cast<uint64_t>(value) <= static_cast<uint64_t>(Limits::max());
    else
      return value >= static_cast<int64_t>(Limits::min()) &&
             value <= static_cast<int64_t>(Limits::max());
  }
  /// As LibTorch's errors write it.
  template <typename T>
  static constexpr const char* name_for_errors() {
    if constexpr (is_floating_v<T>)
      return std::floating_point<T> ? "float" : c_name_of(scalar_type_of<T>);
    constexpr bool is_signed = std::numeric_limits<T>::is_signed;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? "int8_t" : "uint8_t";
      case 2:
        return is_signed ? "int16_t" : "uint16_t";
      case 4:
        return is_signed ? "int" : "unsigned int";
      default:
        return is_signed ? "int64_t" : "uint64_t";
    }
  }
  [[noreturn]] static void throw_does_not_fit(const char* type, const char* caller);

  union {
    double floating_;
    int64_t integer_;
  };
  ScalarType type_ = ScalarType::Long;
};

}  // namespace notape
