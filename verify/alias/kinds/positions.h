// Lists of positions.
#pragma once
#include <fmt/ranges.h>

#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// A list of positions along dimension 0.
struct Positions {
  std::array<int8_t, 4> at{};
  int8_t count = 0;

  static Positions propose(Draws& draws, int size) {
    Positions one{.count = small(1 + draws.below(3))};
    for (int i = 0; i < one.count; ++i) one.at[alias::at(i)] = small(draws.below(size));
    return one;
  }

  bool fit(const Window& window) const {
    if (window.rank == 0 || count < 1 || count > static_cast<int>(at.size())) return false;
    for (int i = 0; i < count; ++i)
      if (at[alias::at(i)] < 0 || at[alias::at(i)] >= window.size[0]) return false;
    return true;
  }

  std::vector<int64_t> list() const { return {at.begin(), at.begin() + count}; }
  /// "{2, 0}"
  std::string text() const { return fmt::format("{{{}}}", fmt::join(list(), ", ")); }
  std::array<int8_t*, 6> numbers() { return {&at[0], &at[1], &at[2], &at[3], &count}; }
  bool operator==(const Positions&) const = default;
};

}  // namespace notape::verify::alias
