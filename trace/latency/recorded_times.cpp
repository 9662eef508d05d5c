#include "trace/latency/recorded_times.h"

#include <algorithm>
#include <string_view>
#include <vector>

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

// From the events themselves: a timeline also finds out who recorded each node, which takes ten
// times as long as the batch did.
void RecordedTimes::add(const Recording& recording, WorkClass work) {
  const bool is_backward = work == WorkClass::Backward;
  const auto is_counted = [&](const Event& event) {
    if (event.end_ns == 0) return false;  // the recording ended before it
    if (!is_backward) return event.kind == EventKind::Operator && event.parent == kNoEvent;
    return event.kind == EventKind::Node &&
           std::string_view(event.name).find("Accumulate") == std::string_view::npos;
  };
  for (const ThreadRecording& thread : recording.threads) {
    std::vector<int64_t> called_ns(thread.events.size());
    for (const Event& event : thread.events)
      if (event.parent != kNoEvent) called_ns[event.parent] += event.end_ns - event.begin_ns;
    for (std::size_t i = 0; i < thread.events.size(); ++i) {
      const Event& event = thread.events[i];
      if (!is_counted(event)) continue;
      total.add(event.end_ns - event.begin_ns);
      self.add(event.end_ns - event.begin_ns - called_ns[i]);
    }
  }
}

}  // namespace notape::trace
