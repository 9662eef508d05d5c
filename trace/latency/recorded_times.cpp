#include "trace/latency/recorded_times.h"

#include <algorithm>
#include <string_view>

#include "trace/timeline.h"

namespace notape::trace {

int64_t TimeCounts::quantile(uint64_t percent) const {
  if (n_ == 0) return 0;
  const uint64_t index = std::min(n_ - 1, n_ * percent / 100);
  uint64_t seen = 0;
  for (const auto& [ns, count] : counts_) {
    seen += count;
    if (seen > index) return ns;
  }
  return counts_.rbegin()->first;
}

double TimeCounts::mean() const {
  double sum = 0;
  for (const auto& [ns, count] : counts_)
    sum += static_cast<double>(ns) * static_cast<double>(count);
  return n_ == 0 ? 0 : sum / static_cast<double>(n_);
}

void RecordedTimes::add(const Recording& recording, WorkClass work) {
  const bool is_backward = work == WorkClass::Backward;
  for (const Slice& slice : make_timeline(recording).slices) {
    if (slice.unfinished || slice.kind != (is_backward ? EventKind::Node : EventKind::Operator))
      continue;
    const bool is_counted =
        is_backward ? std::string_view(slice.name).find("Accumulate") == std::string::npos
                    : slice.parent < 0;
    if (!is_counted) continue;
    total.add(slice.duration_ns());
    self.add(slice.self_ns());
  }
}

}  // namespace notape::trace
