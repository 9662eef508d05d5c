// DeviceTimeline: the rows of a device beside a timeline, on its clock and joined to its slices.
#pragma once
#include "trace/record/device_recording.h"
#include "trace/write/timeline.h"

namespace notape::trace {

struct DeviceSlice {
  const DeviceRow* row;
  int64_t begin_ns = 0;    ///< since the recording started
  int64_t end_ns = 0;      ///< at least one more
  int64_t operation = -1;  ///< the slice of the operator or node that asked for it
  int64_t range = -1;      ///< a slice in which to look for ranges around that
};

/// A range of the host as its work lies on a stream, from the first op to the last.
struct StreamRange {
  int64_t range;  ///< the slice
  int32_t device;
  int64_t stream;
  int64_t begin_ns, end_ns;
};

struct DeviceTimeline {
  std::vector<DeviceSlice> slices;  ///< by begin, longer ones first
  std::vector<StreamRange> ranges;  ///< in the same order
  uint64_t clipped = 0;  ///< calls moved so that they lie inside the slices that made them
};

/// `recording` must outlive the result.
DeviceTimeline make_device_timeline(const Recording& recording, const Timeline& timeline);

}  // namespace notape::trace
