#include "trace/gpu/cupti/clock_bracket.h"

#include <cmath>

#include "trace/record/clock.h"

namespace notape::trace::cupti {

std::optional<ClockBracket> bracket_clocks(ActivityApi& api) {
  std::optional<ClockBracket> best;
  for (int i = 0; i < 100; ++i) {
    const int64_t before = now_ns();
    const std::optional<uint64_t> time = api.time();
    const int64_t after = now_ns();
    if (!time) return best;
    if (!best || after - before < best->width_ns)
      best = {before + (after - before) / 2, static_cast<int64_t>(*time), after - before};
  }
  return best;
}

ClockLine::ClockLine(const ClockBracket& first, const ClockBracket& last) : first_(first) {
  const int64_t length = last.cupti_ns - first.cupti_ns;
  if (length > 0)
    slope_ = static_cast<double>(last.own_ns - first.own_ns) / static_cast<double>(length);
}

int64_t ClockLine::operator()(int64_t cupti_ns) const {
  return first_.own_ns + std::llround(static_cast<double>(cupti_ns - first_.cupti_ns) * slope_);
}

}  // namespace notape::trace::cupti
