#include "trace/event_log.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace notape::trace {
namespace {

std::string name_of_this_thread() {
  char name[16] = "";
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 ? name : "";
}

}  // namespace

EventLog::EventLog(uint32_t number)
    : number_(number), tid_(gettid()), name_(name_of_this_thread()) {}

// The only place that allocates, at a thread's first event of its first session. Without memory
// the log has no room, and says so by what it drops.
void EventLog::begin_session(uint64_t session, std::size_t capacity) noexcept {
  capacity = std::min<std::size_t>(capacity, kNoEvent - 1);
  if (capacity > allocated_) {
    events_.reset(new (std::nothrow) Event[capacity]);
    allocated_ = events_ ? capacity : 0;
  }
  limit_ = static_cast<uint32_t>(std::min(capacity, allocated_));
  innermost_ = kNoEvent;
  skipped_depth_ = 0;
  size_.store(0, std::memory_order_relaxed);
  dropped_.store(0, std::memory_order_relaxed);
  session_.store(session, std::memory_order_release);
}

void EventLog::skip() noexcept {
  ++skipped_depth_;
  dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

ThreadRecording EventLog::read(uint64_t session) const {
  ThreadRecording result{number_, tid_, name_, {}, 0};
  if (session_.load(std::memory_order_acquire) != session) return result;
  const uint32_t size = size_.load(std::memory_order_acquire);
  result.dropped = dropped_.load(std::memory_order_relaxed);
  result.events.reserve(size);
  for (uint32_t i = 0; i < size; ++i) {
    Event& event = events_[i];
    const int64_t end = std::atomic_ref(event.end_ns).load(std::memory_order_acquire);
    const uint32_t nodes = std::atomic_ref(event.nodes_recorded).load(std::memory_order_relaxed);
    result.events.push_back({event.name, event.begin_ns, end, event.number, event.parent, nodes,
                             event.recorded_by, event.kind});
  }
  return result;
}

}  // namespace notape::trace
