// What the recorder saw of each single operation: its time, and the part of it in which it had
// called no other.
#pragma once
#include <cstdint>
#include <map>

#include "trace/latency/work.h"
#include "trace/record/recording.h"

namespace notape::trace {

/// Whole ns and how often each occurred: as small after a million operations as after a hundred.
class TimeCounts {
 public:
  void add(int64_t ns) {
    ++counts_[ns];
    ++n_;
  }
  uint64_t n() const { return n_; }
  /// The time at index min(n - 1, floor(n * percent / 100)) of the sorted ones; 0 if there is none.
  int64_t quantile(uint64_t percent) const;
  double mean() const;

 private:
  std::map<int64_t, uint64_t> counts_;
  uint64_t n_ = 0;
};

struct RecordedTimes {
  TimeCounts total, self;

  /// Operations that no other called, or, of backward, nodes but those that add to `.grad`.
  void add(const Recording& recording, WorkClass work);
};

}  // namespace notape::trace
