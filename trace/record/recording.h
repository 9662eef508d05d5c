// Recording: a finished session as plain data, before it becomes a timeline or a file.
#pragma once
#include <string>
#include <vector>

#include "autograd/tensor/device.h"
#include "autograd/tensor/scalar_type.h"
#include "trace/record/device_recording.h"
#include "trace/record/event_log.h"

namespace notape::trace {

inline constexpr uint32_t kNoEvent = UINT32_MAX;

/// A tensor that an operator was called with.
struct Operand {
  bool is_defined = false;
  ScalarType dtype = kFloat;
  std::vector<int64_t> sizes = {};

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Event {
  const char* name;  // lives as long as the process
  int64_t begin_ns;
  int64_t end_ns;  // 0: still running
  /// Operator: the number the next node would get; Node: its own; Step: the step's.
  uint64_t number;
  uint32_t parent;          // position of the enclosing event, or kNoEvent
  uint32_t nodes_recorded;  // Operator: nodes recorded until it ended, by inner operators too
  uint32_t recorded_by;     // Node: number of the thread that ran the forward operator
  EventKind kind;
  std::vector<Operand> operands = {};  // Operator: if they were asked for and it says them
};

/// Memory that a tensor got or gave back.
struct RecordedMemory {
  int64_t time_ns;
  Device device;
  uint64_t address;
  int64_t bytes;  ///< negative: given back
  int64_t allocated, reserved;
};

/// What one thread recorded in a session.
struct ThreadRecording {
  uint32_t number = 0;  ///< 1, 2, ... in the order in which threads were first seen
  int64_t tid = 0;      ///< as the system calls it
  std::string name;
  std::vector<Event> events;  ///< in the order in which they began
  uint64_t dropped = 0;
  std::vector<RecordedMemory> memory = {};
};

/// What recording one event costs the program, in ns, measured when the session began.
struct RecorderCost {
  double operation_ns = 0;
  double node_ns = 0;
  double range_ns = 0;
  double operands_ns = 0;  ///< of two matrices, on top of the operation; 0: not asked for
  double memory_ns = 0;    ///< of an allocation or a release; 0: not asked for
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
