// What sums and products of elements are computed in, and what they are returned as.
#pragma once
#include <cstdint>
#include <type_traits>

namespace notape {

/// Unsigned for integers and bools, because their sums and products wrap around.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
template <typename T>
using Accumulated = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;

}  // namespace notape
