// TypeSet: element types a functor is compiled for. Seen by nvcc, too.
#pragma once
#include "autograd/tensor/scalar_type.h"

namespace notape {

/// Bits in the order of ScalarType. float16 and bfloat16, which are computed in float32, are in
/// none.
using TypeSet = uint16_t;
constexpr TypeSet type_set(ScalarType type) {
  return static_cast<TypeSet>(1u << static_cast<int>(type));
}
inline constexpr TypeSet kFloatTypes = type_set(kFloat32) | type_set(kFloat64);
inline constexpr TypeSet kNumberTypes = kFloatTypes | type_set(kUInt8) | type_set(kInt8) |
                                        type_set(kInt16) | type_set(kInt32) | type_set(kInt64);
inline constexpr TypeSet kAllTypes = kNumberTypes | type_set(kBool);

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
  const auto one = [&visit]<typename T>() {
    constexpr ScalarType type = scalar_type_of<T>;
    if constexpr (types_of<F>() & type_set(type))
      visit.template operator()<T, static_cast<int>(type)>();
  };
  one.template operator()<bool>();
  one.template operator()<uint8_t>();
  one.template operator()<int8_t>();
  one.template operator()<int16_t>();
  one.template operator()<int32_t>();
  one.template operator()<int64_t>();
  one.template operator()<float>();
  one.template operator()<double>();
}

}  // namespace detail
}  // namespace notape
