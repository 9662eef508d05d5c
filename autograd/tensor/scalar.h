// Scalar: a C++ number used as an operand. It stays an immediate and never becomes a tensor.
#pragma once
#include <concepts>
#include <cstdint>

#include "autograd/tensor/scalar_type.h"

namespace notape {

class Scalar {
 public:
  Scalar() : integer_(0) {}
  template <std::floating_point T>
  Scalar(T value) : floating_(static_cast<double>(value)), type_(ScalarType::Double) {}
  template <std::integral T>
  Scalar(T value) : integer_(static_cast<int64_t>(value)) {
    if constexpr (std::same_as<T, bool>) type_ = ScalarType::Bool;
  }

  /// Double, Long or Bool: only its category takes part in promotion.
  ScalarType type() const { return type_; }
  bool is_floating_point() const { return type_ == ScalarType::Double; }

  template <typename T>
  T to() const {
    return is_floating_point() ? static_cast<T>(floating_) : static_cast<T>(integer_);
  }
  double to_double() const { return to<double>(); }
  int64_t to_int() const { return to<int64_t>(); }
  // LibTorch's names
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }

  Scalar operator-() const { return is_floating_point() ? Scalar(-floating_) : Scalar(-integer_); }
  bool equals(double value) const { return to_double() == value; }

 private:
  union {
    double floating_;
    int64_t integer_;
  };
  ScalarType type_ = ScalarType::Long;
};

}  // namespace notape
