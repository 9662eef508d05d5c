#include "trace/gpu/cupti/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "trace/gpu/cupti/join_records.h"
#include "trace/record/clock.h"

namespace notape::trace::cupti {
namespace {

constexpr ActivityKind kKinds[] = {
    ActivityKind::ExternalCorrelation, ActivityKind::Runtime,  ActivityKind::Driver,
    ActivityKind::ConcurrentKernel,    ActivityKind::Copy,     ActivityKind::Fill,
    ActivityKind::Synchronization,     ActivityKind::Overhead, ActivityKind::Event,
};

constexpr const char* kLeftOut[] = {"cudaGetDevice", "cuKernelGetAttribute",
                                    "cuDevicePrimaryCtxGetState", "cuCtxGetCurrent"};

uint64_t recorder_clock() { return static_cast<uint64_t>(now_ns()); }

/// Whether the times of calls lie in the session: then CUPTI took the recorder's clock. The time
/// of day, its own clock, is decades away.
bool are_on_own_clock(const std::vector<ActivityRecord>& records, int64_t begin_ns,
                      int64_t end_ns) {
  return std::any_of(records.begin(), records.end(), [&](const ActivityRecord& record) {
    const DeviceRow& row = record.row;
    return record.kind == ActivityRecord::Kind::Row && row.is_call() && row.begin_ns >= begin_ns &&
           row.begin_ns <= end_ns;
  });
}

}  // namespace

Collector::Collector(ActivityApi& api, Options options)
    : api_(api), pool_(options.buffer_bytes, options.most_bytes) {}

std::span<const char* const> Collector::calls_left_out() { return kLeftOut; }

bool Collector::give_up(std::string_view step, ActivityStatus status, std::string_view holder) {
  const bool is_held = status.code == kMultipleSubscribers;
  const bool is_forbidden = status.code == kInsufficientPrivileges || status.code == kVirtualDevice;
  state_ = fmt::format("not used: {}{} ({}, {})",
                       is_held        ? "another tool has CUPTI"
                       : is_forbidden ? "this user or container may not trace GPUs"
                                      : step,
                       holder.empty() ? "" : fmt::format(": {}", holder), api_.message(status),
                       status.code);
  undo();
  return false;
}

void Collector::undo() {
  for (const ActivityKind kind : enabled_) api_.disable(kind);
  enabled_.clear();
  api_.unsubscribe();
}

/// Once per process: registered again, it gives broken times.
void Collector::register_clock() {
  if (clock_was_offered_) return;
  clock_was_offered_ = true;
  clock_was_taken_ = api_.register_clock(recorder_clock).is_fine();
}

bool Collector::start() {
  if (is_recording_) return true;
  if (const std::string reason = api_.unavailable(); !reason.empty()) {
    state_ = "not used: " + reason;
    return false;
  }
  const Subscription subscription = api_.subscribe();
  if (!subscription.status.is_fine()) {
    give_up("subscribing failed", subscription.status, subscription.holder);
    return false;
  }
  thread_ids_join_ = api_.use_system_thread_ids().is_fine();
  register_clock();
  api_.set_attributes();  // sizes on the device: without them CUPTI takes its own
  if (const ActivityStatus status = api_.register_buffers(pool_); !status.is_fine())
    return give_up("its callbacks could not be registered", status);
  started_ns_ = now_ns();
  first_ = bracket_clocks(api_);
  refused_before_ = pool_.refused();
  for (const ActivityKind kind : kKinds) {
    const ActivityStatus status = api_.enable(kind);
    if (!status.is_fine()) return give_up("it could not be switched on", status);
    enabled_.push_back(kind);
  }
  left_out_.clear();
  for (const char* function : kLeftOut)  // after the kinds, which would bring them back
    if (api_.leave_out(function).is_fine()) left_out_.emplace_back(function);
  state_ = "used: " + api_.version();
  if (!thread_ids_join_) state_ += "; its thread ids do not join";
  is_recording_ = true;
  return true;
}

DeviceRecording Collector::stop() {
  DeviceRecording result;
  result.state = state_;
  if (!is_recording_) return result;
  is_recording_ = false;
  api_.synchronize();
  const std::optional<ClockBracket> last = bracket_clocks(api_);
  const int64_t stopped_ns = now_ns();
  for (const ActivityKind kind : enabled_) api_.disable(kind);
  enabled_.clear();
  api_.flush(FlushMode::Finished);
  api_.flush(FlushMode::Forced);
  result.dropped = api_.take_dropped();
  api_.unsubscribe();

  std::vector<ActivityRecord> records;
  for (const std::span<const uint8_t> buffer : pool_.full()) api_.read(buffer, records);
  pool_.give_back();
  result.device_kind = "cuda";
  result.refused_buffers = pool_.refused() - refused_before_;
  result.calls_left_out = left_out_;
  std::function<int64_t(int64_t)> own_time = [](int64_t ns) { return ns; };
  if (are_on_own_clock(records, started_ns_, stopped_ns)) {
    result.clock = "the recorder's, by CUPTI's callback";
  } else if (first_ && last) {
    result.clock = fmt::format("CUPTI's, converted through two moments known to {} ns",
                               std::max(first_->width_ns, last->width_ns) / 2);
    own_time = ClockLine(*first_, *last);
  } else {
    result.clock = "CUPTI's, unconverted";
  }
  join_records(std::move(records), own_time, result);
  return result;
}

}  // namespace notape::trace::cupti
