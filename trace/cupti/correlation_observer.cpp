#include "trace/cupti/correlation_observer.h"

#include <atomic>

#include "trace/device/event_number.h"

namespace notape::trace::cupti {
namespace {

std::atomic<ActivityApi*> current_api{nullptr};

}  // namespace

CorrelationObserver::CorrelationObserver(Observer& behind, ActivityApi& api) noexcept
    : behind_(behind), api_(api) {
  begin_event_numbers();
  current_api.store(&api);
}
CorrelationObserver::~CorrelationObserver() { current_api.store(nullptr); }

// First the recorder, which numbers the thread at its first event.
void CorrelationObserver::operator_begin(const char* name, uint64_t sequence_nr) noexcept {
  behind_.operator_begin(name, sequence_nr);
  api_.push_external(ExternalKind::Operation, next_operation_number());
}
void CorrelationObserver::operator_end(const char* name, uint64_t sequence_nr) noexcept {
  api_.pop_external(ExternalKind::Operation);
  behind_.operator_end(name, sequence_nr);
}
void CorrelationObserver::node_begin(const Node& node) noexcept {
  behind_.node_begin(node);
  api_.push_external(ExternalKind::Operation, next_operation_number());
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
    api->push_external(ExternalKind::Range, next_range_number());
}
void correlate_range_end() noexcept {
  if (ActivityApi* const api = current_api.load()) api->pop_external(ExternalKind::Range);
}

}  // namespace notape::trace::cupti
