#include "trace/gpu/cupti/correlation_observer.h"

#include "trace/record/event_number.h"

namespace notape::trace::cupti {
CorrelationObserver::CorrelationObserver(Observer& behind, ActivityApi& api) noexcept
    : ObserverInFront(behind), api_(api) {
  begin_event_numbers();
  range_watcher.store(this);
}
CorrelationObserver::~CorrelationObserver() { range_watcher.store(nullptr); }

// First the recorder, which numbers the thread at its first event.
void CorrelationObserver::operator_begin(const char* name, uint64_t sequence_nr) noexcept {
  ObserverInFront::operator_begin(name, sequence_nr);
  api_.push_external(ExternalKind::Operation, next_operation_number());
}
void CorrelationObserver::operator_end(const char* name, uint64_t sequence_nr) noexcept {
  api_.pop_external(ExternalKind::Operation);
  ObserverInFront::operator_end(name, sequence_nr);
}
void CorrelationObserver::node_begin(const Node& node) noexcept {
  ObserverInFront::node_begin(node);
  api_.push_external(ExternalKind::Operation, next_operation_number());
}
void CorrelationObserver::node_end(const Node& node) noexcept {
  api_.pop_external(ExternalKind::Operation);
  ObserverInFront::node_end(node);
}
void CorrelationObserver::range_begin() noexcept {
  api_.push_external(ExternalKind::Range, next_range_number());
}
void CorrelationObserver::range_end() noexcept { api_.pop_external(ExternalKind::Range); }

}  // namespace notape::trace::cupti
