// The middle of some numbers.
#pragma once
#include <algorithm>
#include <vector>

namespace notape::paper {

/// Of an even count the mean of the two in the middle. `numbers` is not empty.
inline double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

}  // namespace notape::paper
