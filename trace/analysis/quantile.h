// Quantiles and medians: always one of the numbers, never a mean of two.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace notape::trace {

/// The number at zero-based index min(n - 1, floor(n * percent / 100)) of the sorted numbers, which
/// may not be empty.
inline int64_t quantile(std::vector<int64_t> numbers, std::size_t percent) {
  const std::size_t index = std::min(numbers.size() - 1, numbers.size() * percent / 100);
  const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(numbers.begin(), place, numbers.end());
  return *place;
}

inline int64_t median(std::vector<int64_t> numbers) { return quantile(std::move(numbers), 50); }

}  // namespace notape::trace
