// Whether a series of times has two levels: from a moment on they are longer, or shorter, to stay.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace notape::trace {

struct LevelChange {
  std::size_t first = 0;          ///< the place of the first value of the later level
  int64_t before = 0, after = 0;  ///< medians of the two
};

constexpr std::size_t kFewestForLevels = 24;

/// Where the sums of ranks on both sides differ most, in standard deviations: a few outliers are no
/// level. Nothing for fewer than kFewestForLevels values, where chance does it at one of the places
/// once in a thousand times or more often, where one side has fewer than five values, and where the
/// medians differ by less than a tenth.
std::optional<LevelChange> find_level_change(const std::vector<int64_t>& values);

}  // namespace notape::trace
