// What directed rounding does to the numbers of a computation: a measured bound of what its own
// roundings do to them, plateaus included, for anybody's compiled code.
#pragma once
#include <cfenv>
#include <cmath>
#include <functional>

#include "verify/numeric/rounding_modes.h"

namespace notape::verify {

/// For every number of `compute`, how far it moves from `here` when rounding is up, down or toward
/// zero; infinite where that cannot be said.
inline Numbers spread_of_rounding(const Numbers& here, const std::function<Numbers()>& compute) {
  Numbers spread(here.size(), 0);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    const Numbers there = [&] {
      const RoundingMode scope(mode);
      return compute();
    }();
    for (std::size_t i = 0; i < spread.size(); ++i) {
      const double moved = i < there.size() ? std::abs(there[i] - here[i]) : HUGE_VAL;
      spread[i] = moved <= HUGE_VAL ? std::max(spread[i], moved) : HUGE_VAL;  // NaN is none
    }
  }
  return spread;
}

}  // namespace notape::verify
