// What a trace says of how it was recorded: the text of its key "metadata".
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "trace/record/recording.h"

namespace notape::trace {

struct TraceTotals {
  std::vector<std::pair<int64_t, uint64_t>>
      dropped;  ///< of threads (their tid) that lost something
  uint64_t events = 0, threads = 0;
  uint64_t unfinished = 0;
  uint64_t clipped = 0;
  /// Rows stand in the order in which events ended, as they were written while the program ran.
  bool is_streamed = false;
};

/// JSON on one line. Of `recording` everything but its threads.
std::string trace_metadata(const Recording& recording, const TraceTotals& totals);

}  // namespace notape::trace
