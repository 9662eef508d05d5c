// Sorting numbers by their bits, digit after digit from the lowest one on: stable, and as long for
// any order.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace notape {

template <typename T>
using SortKey =
    std::conditional_t<sizeof(T) == 8, uint64_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t,
                                          std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

/// Ordered as the numbers are: NaN, of any sign, is the largest, and -0 equals 0.
template <typename T>
SortKey<T> sort_key(T value) {
  using Key = SortKey<T>;
  constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return std::numeric_limits<Key>::max();
    const auto bits = std::bit_cast<Key>(value + T(0));  // -0 + 0 is 0
    return bits & kSign ? ~bits : bits | kSign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Key>(static_cast<Key>(value) ^ kSign);
  } else {
    return static_cast<Key>(value);
  }
}

template <typename T>
struct Keyed {
  SortKey<T> key;
  uint32_t index;
};

/// The room that sorts of the same size share.
template <typename T>
struct SortBuffers {
  std::vector<Keyed<T>> entries, others;
};

/// Where the numbers at(i), i < size < 2^32, stand in order: of equal ones the first is first.
template <typename T, typename At>
const std::vector<Keyed<T>>& radix_sorted(SortBuffers<T>& buffers, int64_t size, bool descending,
                                          const At& at) {
  using Key = SortKey<T>;
  constexpr int kDigits = sizeof(Key);
  auto& entries = buffers.entries;
  entries.resize(static_cast<std::size_t>(size));
  buffers.others.resize(static_cast<std::size_t>(size));
  std::array<std::array<uint32_t, 256>, kDigits> counts{};
  for (int64_t i = 0; i < size; ++i) {
    const Key key = sort_key<T>(at(i));
    const Key ordered = descending ? static_cast<Key>(~key) : key;
    entries[static_cast<std::size_t>(i)] = {ordered, static_cast<uint32_t>(i)};
    for (int d = 0; d < kDigits; ++d) ++counts[d][ordered >> (8 * d) & 255];
  }
  for (int d = 0; d < kDigits; ++d) {
    auto& starts = counts[d];
    if (std::ranges::find(starts, static_cast<uint32_t>(size)) != starts.end())
      continue;  // all one
    uint32_t start = 0;
    for (uint32_t& each : starts) start += std::exchange(each, start);
    for (const Keyed<T>& entry : entries)
      buffers.others[starts[entry.key >> (8 * d) & 255]++] = entry;
    std::swap(entries, buffers.others);
  }
  return entries;
}

}  // namespace notape
