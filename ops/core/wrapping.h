// Integers wrap around in two's complement, as LibTorch's do. In C++ only unsigned ones may, and
// their bits are the same: arithmetic on elements of type T is done in Wrapping<T>.
#pragma once
#include <type_traits>

#include "autograd/tensor/bool.h"

namespace notape {
namespace detail {

template <typename T, bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>>
struct UnsignedOf {
  using same_size = T;
  using wide = T;
};
template <>
struct UnsignedOf<Bool> {
  using same_size = Bool;
  using wide = bool;
};
template <typename T>
struct UnsignedOf<T, true> {
  using same_size = std::make_unsigned_t<T>;
  using wide = decltype(same_size() + 0u);
};

}  // namespace detail

/// T itself unless it is an integer. Else unsigned and at least as wide as int, which narrower ones
/// become in arithmetic: a product of two of 16 bits would leave it.
template <typename T>
using Wrapping = typename detail::UnsignedOf<T>::wide;

/// What elements of type T may be read and written as: T itself unless it is an integer.
template <typename T>
using UnsignedElement = typename detail::UnsignedOf<T>::same_size;

}  // namespace notape
