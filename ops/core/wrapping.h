// Integers wrap around in two's complement, as LibTorch's do. In C++ only unsigned ones may, and
// their bits are the same: arithmetic on elements of type T is done in Wrapping<T>.
#pragma once
#include <type_traits>

namespace notape {
namespace detail {

template <typename T, bool kSigned = std::is_integral_v<T>&& std::is_signed_v<T>>
struct WrappingOf {
  using type = T;
};
template <typename T>
struct WrappingOf<T, true> {
  using type = std::make_unsigned_t<T>;
};

}  // namespace detail

/// T itself unless it is a signed integer.
template <typename T>
using Wrapping = typename detail::WrappingOf<T>::type;

}  // namespace notape
