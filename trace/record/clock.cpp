#include "trace/record/clock.h"

#include <limits>

namespace notape::trace {

ClockPair read_both_clocks() {
  ClockPair best;
  int64_t tightest = std::numeric_limits<int64_t>::max();
  for (int attempt = 0; attempt < 20; ++attempt) {
    const int64_t before = now_ns();
    const int64_t realtime = read_clock_ns(CLOCK_REALTIME);
    const int64_t width = now_ns() - before;
    if (width >= tightest) continue;
    tightest = width;
    best = {realtime, before + width / 2};
  }
  return best;
}

double drift_ppm(const ClockPair& from, const ClockPair& to) {
  const int64_t monotonic = to.monotonic_ns - from.monotonic_ns;
  if (monotonic <= 0) return 0;
  const int64_t gained = (to.realtime_ns - from.realtime_ns) - monotonic;
  return static_cast<double>(gained) / static_cast<double>(monotonic) * 1e6;
}

}  // namespace notape::trace
