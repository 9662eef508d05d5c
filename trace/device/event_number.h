// EventNumber: the name of an event while it runs, by which calls are joined to it afterwards:
// which of its thread's events it is. The recorder stores events in the order in which they begin,
// and what it drops comes last; so the number needs no look at its logs.
#pragma once
#include <cstdint>

namespace notape::trace {

/// `thread`: its number in the recorder, from 1; `place`: 0, 1, ... among the thread's operators
/// and nodes, or among its ranges and steps.
constexpr uint64_t event_number(uint32_t thread, uint32_t place) {
  return uint64_t{thread} << 32 | place;
}

}  // namespace notape::trace
