#include "trace/cupti/correlation_observer.h"

#include <atomic>

#include "autograd/modes/thread_state.h"
#include "trace/device/event_number.h"

namespace notape::trace::cupti {
namespace {

std::atomic<ActivityApi*> current_api{nullptr};
std::atomic<uint64_t> sessions{0};

/// Of one thread: how many events of each kind have begun in this session.
struct Counters {
  uint64_t session = 0;
  uint32_t operations = 0, ranges = 0;
};
constinit thread_local Counters counters;

/// The number of the event that the recorder has just been told of.
uint64_t next_number(uint32_t Counters::*counter) noexcept {
  const uint64_t session = sessions.load(std::memory_order_relaxed);
  if (counters.session != session) counters = {session};
  return event_number(thread_state.observed_as, (counters.*counter)++);
}

}  // namespace

CorrelationObserver::CorrelationObserver(Observer& behind, ActivityApi& api) noexcept
    : behind_(behind), api_(api) {
  sessions.fetch_add(1);
  current_api.store(&api);
}
CorrelationObserver::~CorrelationObserver() { current_api.store(nullptr); }

// First the recorder, which numbers the thread at its first event.
void CorrelationObserver::operator_begin(const char* name, uint64_t sequence_nr) noexcept {
  behind_.operator_begin(name, sequence_nr);
  api_.push_external(ExternalKind::Operation, next_number(&Counters::operations));
}
void CorrelationObserver::operator_end(const char* name, uint64_t sequence_nr) noexcept {
  api_.pop_external(ExternalKind::Operation);
  behind_.operator_end(name, sequence_nr);
}
void CorrelationObserver::node_begin(const Node& node) noexcept {
  behind_.node_begin(node);
  api_.push_external(ExternalKind::Operation, next_number(&Counters::operations));
}
void CorrelationObserver::node_end(const Node& node) noexcept {
  api_.pop_external(ExternalKind::Operation);
  behind_.node_end(node);
}
void CorrelationObserver::backward_begin(const Tensor* roots, std::size_t count) noexcept {
  behind_.backward_begin(roots, count);
}

bool correlates_ranges() noexcept { return current_api.load(std::memory_order_relaxed) != nullptr; }
void correlate_range_begin() noexcept {
  if (ActivityApi* const api = current_api.load())
    api->push_external(ExternalKind::Range, next_number(&Counters::ranges));
}
void correlate_range_end() noexcept {
  if (ActivityApi* const api = current_api.load()) api->pop_external(ExternalKind::Range);
}

}  // namespace notape::trace::cupti
