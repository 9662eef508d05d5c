// Bool: a truth value as it lies in memory. Any byte but 0 is true: memory that another library or
// a file shares may hold such bytes, and to read one as a C++ bool is undefined.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

namespace notape {

class Bool {
 public:
  Bool() = default;
  template <typename T>
  requires std::is_arithmetic_v<T>
  constexpr Bool(T value) : byte_(value != T(0)) {}
  constexpr operator bool() const { return byte_ != 0; }

 private:
  uint8_t byte_;
};

/// What elements that are computed as T are read as.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, Bool, T>;

}  // namespace notape

template <>
class std::numeric_limits<notape::Bool> : public std::numeric_limits<bool> {};
