// AbsentActivity: stands for a missing CUPTI. The collector asks why, and calls nothing else.
#pragma once
#include "trace/gpu/cupti/activity_api.h"

namespace notape::trace::cupti {

class AbsentActivity : public ActivityApi {
 public:
  explicit AbsentActivity(std::string reason) : reason_(std::move(reason)) {}

  std::string unavailable() override { return reason_; }
  std::string message(ActivityStatus) override { return reason_; }
  std::string version() override { return "no CUPTI"; }
  Subscription subscribe() override { return {kAbsent, {}}; }
  ActivityStatus unsubscribe() override { return kAbsent; }
  ActivityStatus use_system_thread_ids() override { return kAbsent; }
  ActivityStatus register_clock(Clock) override { return kAbsent; }
  ActivityStatus set_attributes() override { return kAbsent; }
  ActivityStatus register_buffers(BufferPool&) override { return kAbsent; }
  ActivityStatus enable(ActivityKind) override { return kAbsent; }
  ActivityStatus disable(ActivityKind) override { return kAbsent; }
  ActivityStatus leave_out(std::string_view) override { return kAbsent; }
  ActivityStatus push_external(ExternalKind, uint64_t) noexcept override { return kAbsent; }
  ActivityStatus pop_external(ExternalKind) noexcept override { return kAbsent; }
  ActivityStatus synchronize() override { return kAbsent; }
  ActivityStatus flush(FlushMode) override { return kAbsent; }
  std::optional<uint64_t> time() override { return {}; }
  uint64_t take_dropped() override { return 0; }
  void read(std::span<const uint8_t>, std::vector<ActivityRecord>&) override {}

 private:
  static constexpr ActivityStatus kAbsent{15};  // CUPTI_ERROR_NOT_INITIALIZED
  std::string reason_;
};

}  // namespace notape::trace::cupti
