// StepTime: where the time of a step goes, on its device and on the host.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "trace/report/facts.h"
#include "trace/report/section.h"

namespace notape::trace {

/// A kind of idle time of the device.
struct IdlePart {
  const char* classes;  ///< of its colour, and its name here
  const char* label;
  int64_t ns = 0;
};

struct StepTime {
  std::string name;
  int64_t window = 0;  ///< from the first device operation to the end of the last
  int64_t busy = 0, host_wait = 0;
  std::vector<IdlePart> idle;  ///< sums to window - busy
  std::string waited_in;       ///< the call that the host was in most while the device waited
  int64_t waited_in_ns = 0;
  int64_t first_use_ns = 0;  ///< the part of that which is inferred to load modules
  Value f_gpu, f_cpu;        ///< shares of the device's and of the host's work beside the other's
  std::string doubt;         ///< why not to rely on the kinds of idle time
};

StepTime step_time_of(const Scope& scope, std::string name);

/// "The device waited 41 % of `step 3` for the host: 60 % of that in `cudaFree`"
Sentence host_wait_words(const StepTime& step);

/// Host threads above, the device below, over a window: shares of each pixel's time.
Figure timeline_figure(const Facts& facts, const Interval& window, std::string id,
                       std::string title);

}  // namespace notape::trace
