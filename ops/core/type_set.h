// TypeSet: element types a functor is compiled for. Seen by nvcc, too.
#pragma once
#include <cstdint>

namespace notape {

/// Bits in the order of ScalarType. float16 and bfloat16, which are computed in float32, are in
/// none.
using TypeSet = uint8_t;
inline constexpr TypeSet kFloatTypes = 0b11000000;
inline constexpr TypeSet kNumberTypes = 0b11001110;  // all but bool
inline constexpr TypeSet kAllTypes = 0b11001111;

namespace detail {

/// What F says, or floating types.
template <typename F>
constexpr TypeSet types_of() {
  if constexpr (requires { F::types; })
    return F::types;
  else
    return kFloatTypes;
}

/// visit.template operator()<T, position in ScalarType>() for each element type of F.
template <typename F, typename Visit>
constexpr void for_types_of(const Visit& visit) {
  const auto one = [&visit]<typename T, int kSlot>() {
    if constexpr (types_of<F>() >> kSlot & 1) visit.template operator()<T, kSlot>();
  };
  one.template operator()<bool, 0>();
  one.template operator()<uint8_t, 1>();
  one.template operator()<int32_t, 2>();
  one.template operator()<int64_t, 3>();
  one.template operator()<float, 6>();
  one.template operator()<double, 7>();
}

}  // namespace detail
}  // namespace notape
