// CorrelationObserver: tells CUPTI which operator, node or range runs, so that every API call can
// be joined to it. Stands in front of the recorder.
#pragma once
#include "autograd/observer.h"
#include "trace/cupti/activity_api.h"

namespace notape::trace::cupti {

class CorrelationObserver final : public Observer {
 public:
  /// Both must outlive it; one at a time.
  CorrelationObserver(Observer& behind, ActivityApi& api) noexcept;
  ~CorrelationObserver() override;
  CorrelationObserver(const CorrelationObserver&) = delete;
  CorrelationObserver& operator=(const CorrelationObserver&) = delete;

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override;
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override;
  void node_begin(const Node& node) noexcept override;
  void node_end(const Node& node) noexcept override;
  void backward_begin(const Tensor* roots, std::size_t count) noexcept override;

 private:
  Observer& behind_;
  ActivityApi& api_;
};

/// For ranges and steps: whether there is a CorrelationObserver; then a range that the recorder has
/// begun says so.
bool correlates_ranges() noexcept;
void correlate_range_begin() noexcept;
void correlate_range_end() noexcept;

}  // namespace notape::trace::cupti
