#include "trace/record/event_number.h"

#include <atomic>

#include "autograd/modes/thread_state.h"

namespace notape::trace {
namespace {

std::atomic<uint64_t> sessions{0};

/// Of one thread: how many events of each kind have begun in this session.
struct Counts {
  uint64_t session = 0;
  uint32_t operations = 0, ranges = 0;
};
constinit thread_local Counts counts;

uint64_t next(uint32_t Counts::*count) noexcept {
  const uint64_t session = sessions.load(std::memory_order_relaxed);
  if (counts.session != session) counts = {session};
  return event_number(thread_state.observed_as, (counts.*count)++);
}

}  // namespace

void begin_event_numbers() noexcept { sessions.fetch_add(1); }
uint64_t next_operation_number() noexcept { return next(&Counts::operations); }
uint64_t next_range_number() noexcept { return next(&Counts::ranges); }

}  // namespace notape::trace
