// Recording: a finished session as plain data, before it becomes a timeline or a file.
#pragma once
#include <string>
#include <vector>

#include "trace/device/device_recording.h"
#include "trace/event_log.h"

namespace notape::trace {

/// What recording one event costs the program, in ns, measured when the session began.
struct RecorderCost {
  double operation_ns = 0;
  double node_ns = 0;
  double range_ns = 0;
};

struct Recording {
  std::vector<ThreadRecording> threads;  ///< those that left events or lost some
  ClockPair started, stopped;
  RecorderCost cost;
  std::size_t events_per_thread = 0;  ///< room that each thread had
  std::string interrupted = {};       ///< the signal that ended the program early, if one did
  DeviceRecording device = {};        ///< what GPUs did, if somebody asked

  std::size_t events() const {
    std::size_t sum = 0;
    for (const ThreadRecording& thread : threads) sum += thread.events.size();
    return sum;
  }
  uint64_t dropped() const {
    uint64_t sum = 0;
    for (const ThreadRecording& thread : threads) sum += thread.dropped;
    return sum;
  }
};

}  // namespace notape::trace
