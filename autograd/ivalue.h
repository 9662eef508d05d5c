// IValue: any value, read back with LibTorch's names; what a user function leaves for its backward.
#pragma once
#include <any>
#include <concepts>
#include <string>

#include "autograd/tensor/tensor.h"

namespace notape {

/// Holds what it was given, of any copyable type; text literals become std::string. The `to...`
/// readers raise ValueError for a value of another kind.
class IValue : public std::any {
 public:
  IValue() = default;
  template <typename T>
  requires(!std::derived_from<std::remove_cvref_t<T>, std::any>) IValue(T&& value)
      : std::any(std::forward<T>(value)) {}
  IValue(const char* text) : std::any(std::string(text)) {}

  bool isNone() const { return !has_value(); }
  bool isInt() const { return number<int, int64_t, std::size_t, unsigned>().found; }
  bool isDouble() const { return number<double, float>().found; }
  bool isBool() const { return number<bool>().found; }
  bool isTensor() const { return is<Tensor>(); }
  bool isString() const { return is<std::string>(); }

  int64_t toInt() const {
    return number<int, int64_t, std::size_t, unsigned>().or_fail("Int").to_int();
  }
  double toDouble() const { return number<double, float>().or_fail("Double").to_double(); }
  bool toBool() const { return number<bool>().or_fail("Bool").to<bool>(); }
  const Tensor& toTensor() const { return as<Tensor>("Tensor"); }
  const std::string& toStringRef() const { return as<std::string>("String"); }
  const std::vector<Tensor>& toTensorVector() const { return as<std::vector<Tensor>>("Tensor[]"); }
  const std::vector<int64_t>& toIntVector() const { return as<std::vector<int64_t>>("int[]"); }

 private:
  struct Number {
    Scalar value;
    bool found = false;
    const Scalar& or_fail(const char* wanted) const {
      if (!found) fail(wanted);
      return value;
    }
  };
  template <typename... Types>
  Number number() const {
    Number result;
    const auto look = [&](const auto* held) {
      if (held) result = {*held, true};
    };
    (look(std::any_cast<Types>(static_cast<const std::any*>(this))), ...);
    return result;
  }
  template <typename T>
  bool is() const {
    return std::any_cast<T>(static_cast<const std::any*>(this)) != nullptr;
  }
  template <typename T>
  const T& as(const char* wanted) const {
    const T* held = std::any_cast<T>(static_cast<const std::any*>(this));
    if (!held) fail(wanted);
    return *held;
  }
  [[noreturn]] static void fail(const char* wanted) {
    throw ValueError("Expected {} but the IValue holds something else", wanted);
  }
};

}  // namespace notape
