#include "verify/numeric/rounding_modes.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <map>
#include <mutex>

#include "autograd/modes/grad_mode.h"
#include "ops/arithmetic.h"
#include "ops/parallel.h"
#include "ops/spec/plain.h"
#include "verify/generate/layout.h"

namespace notape::verify {
namespace {

thread_local int without_modes = 0;

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

NoRoundingModes::NoRoundingModes() noexcept { ++without_modes; }
NoRoundingModes::~NoRoundingModes() { --without_modes; }

bool modes_reach(Device device) {
  if (without_modes > 0) return false;
  static std::mutex mutex;
  static std::map<std::string, bool> known;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace(to_string(device), false);
  if (!is_new) return place->second;
  try {
    place->second = third(device, FE_UPWARD) > third(device, FE_DOWNWARD);
  } catch (const Error&) {  // no such device here
  }
  return place->second;
}

std::string modes_text(Device device) {
  if (without_modes > 0)
    return "cannot be had in an interpreter: roundings inside a function are estimated from its "
           "values nearby";
  return modes_reach(device) ? "up, down and toward zero"
                             : "cannot be had on " + to_string(device) +
                                   ": roundings inside a function are estimated from neighbouring "
                                   "values alone, and "
                                   "small errors are left undecided";
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
      if (!std::isfinite(nearest[i])) continue;
      const bool is_number = std::isfinite(moved[i]);
      low[i] = std::min(low[i], is_number ? moved[i] : -HUGE_VAL);
      high[i] = std::max(high[i], is_number ? moved[i] : HUGE_VAL);
    }
  }
  for (std::size_t i = 0; i < low.size(); ++i)
    high[i] = std::isfinite(nearest[i]) ? high[i] - low[i] : 0;
  return high;
}

}  // namespace notape::verify
