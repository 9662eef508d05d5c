// Integer: a dimension, size or index as operators take it.
#pragma once
#include "autograd/language.h"  // first

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace notape {

class Integer;

/// Integers and unscoped enumerations, but no bool.
template <typename T>
concept WholeNumber = std::same_as<T, Integer> ||(std::integral<T> && !std::same_as<T, bool>) ||
                      (std::is_enum_v<T> && std::convertible_to<T, int64_t>);

template <typename T, typename Target>
concept FitsInto = requires(const T& value) {
  Target{value};
};

/// A class that converts to one, such as std::atomic<int>; what converts to a bool also fits into a
/// bool.
template <typename T>
concept HoldsWholeNumber =
    std::is_class_v<T> && !std::same_as<T, Integer> && std::convertible_to<const T&, int64_t> &&
    FitsInto<T, int64_t> && !FitsInto<T, bool>;

/// An int64_t made of whole numbers alone: x.softmax(true) and x.size(0.5) do not compile.
class Integer {
 public:
  /// Throws ValueError for unsigned numbers beyond int64.
  template <WholeNumber T>
  constexpr Integer(T value) : value_(static_cast<int64_t>(value)) {
    if constexpr (std::unsigned_integral<T> && sizeof(T) >= sizeof(int64_t))
      if (value_ < 0) [[unlikely]]
        throw_does_not_fit();
  }

  template <HoldsWholeNumber T>
  constexpr Integer(const T& value) : value_(value) {}

  constexpr operator int64_t() const { return value_; }

 private:
  [[noreturn]] static void throw_does_not_fit();

  int64_t value_;
};

}  // namespace notape
