#include "verify/numeric/rounding_modes.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "ops/core/parallel.h"
#include "ops/ops.h"
#include "ops/spec/plain.h"
#include "verify/generate/layout.h"

namespace notape::verify {
namespace {

constexpr std::array kDirected{FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/// 1/3 as the device has it.
double third(Device device, int mode) {
  const NoGradGuard no_grad;
  const RoundingMode rounding(mode);
  return numbers_of(make_tensor({1.0}, {1}, kFloat64, device) / 3.0).at(0);
}

}  // namespace

RoundingMode::RoundingMode(int mode) : mode_(std::fegetround()), threads_(get_num_threads()) {
  if (threads_ != 1) set_num_threads(1);
  std::fesetround(mode);
}

RoundingMode::~RoundingMode() {
  std::fesetround(mode_);
  if (threads_ != 1) set_num_threads(threads_);
}

bool modes_reach(Device device) {
  const auto reach = [&] { return third(device, FE_UPWARD) > third(device, FE_DOWNWARD); };
  if (!device.is_cpu()) return reach();
  static const bool on_cpu = reach();
  return on_cpu;
}

Numbers spread_over_modes(const std::function<Numbers()>& entries, const Numbers& nearest) {
  Numbers low = nearest, high = nearest;
  for (const int mode : kDirected) {
    Numbers moved;
    try {
      const RoundingMode rounding(mode);
      moved = entries();
    } catch (const std::exception&) {
      return {};  // x (1 + epsilon) may be outside the domain
    }
    if (moved.size() != nearest.size()) return {};
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (!std::isfinite(moved[i])) continue;
      low[i] = std::min(low[i], moved[i]);
      high[i] = std::max(high[i], moved[i]);
    }
  }
  for (std::size_t i = 0; i < low.size(); ++i) {
    high[i] -= low[i];
    if (!std::isfinite(high[i])) high[i] = 0;
  }
  return high;
}

}  // namespace notape::verify
