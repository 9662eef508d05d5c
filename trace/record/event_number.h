// EventNumber: the index of an event among those of its thread, while the event runs. Calls are
// joined to it by this number afterwards. The recorder stores events in the order in which they
// begin, and drops the last ones; so the number needs no look at its logs.
#pragma once
#include <cstdint>

namespace notape::trace {

/// `thread`: its number in the recorder, from 1; `place`: 0, 1, ... among the thread's operators
/// and nodes, or among its ranges and steps.
constexpr uint64_t event_number(uint32_t thread, uint32_t place) {
  return uint64_t{thread} << 32 | place;
}

/// Restarts the counts; called before the recorder starts.
void begin_event_numbers() noexcept;
/// The number of the operator or node, or of the range, that has just begun on this thread. Once
/// for each, after the recorder has seen it: it numbers threads at their first events.
uint64_t next_operation_number() noexcept;
uint64_t next_range_number() noexcept;

}  // namespace notape::trace
