// CorrelationObserver: tells CUPTI which operator, node or range runs, so that every API call can
// be joined to it. Stands in front of the recorder.
#pragma once
#include "trace/gpu/cupti/activity_api.h"
#include "trace/record/observer_in_front.h"
#include "trace/record/range.h"

namespace notape::trace::cupti {

class CorrelationObserver final : public ObserverInFront, private RangeWatcher {
 public:
  /// Both must outlive it; one at a time.
  CorrelationObserver(Observer& behind, ActivityApi& api) noexcept;
  ~CorrelationObserver();

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override;
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override;
  void node_begin(const Node& node) noexcept override;
  void node_end(const Node& node) noexcept override;

 private:
  void range_begin() noexcept override;
  void range_end() noexcept override;

  ActivityApi& api_;
};

}  // namespace notape::trace::cupti
