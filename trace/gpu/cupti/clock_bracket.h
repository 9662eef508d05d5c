// ClockBracket: one moment on CUPTI's clock and on the recorder's. Two of them give the line by
// which times are converted if CUPTI does not take the recorder's clock.
#pragma once
#include <optional>

#include "trace/gpu/cupti/activity_api.h"

namespace notape::trace::cupti {

struct ClockBracket {
  int64_t own_ns = 0;  ///< the middle of the two readings around CUPTI's
  int64_t cupti_ns = 0;
  int64_t width_ns = 0;  ///< between these two
};

/// The tightest of 100; nothing if CUPTI does not say its time.
std::optional<ClockBracket> bracket_clocks(ActivityApi& api);

/// From CUPTI's time to the recorder's, through two moments.
class ClockLine {
 public:
  ClockLine(const ClockBracket& first, const ClockBracket& last);
  int64_t operator()(int64_t cupti_ns) const;

 private:
  ClockBracket first_;
  double slope_ = 1;
};

}  // namespace notape::trace::cupti
