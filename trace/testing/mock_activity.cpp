#include "trace/testing/mock_activity.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "trace/record/clock.h"

namespace notape::trace::testing {
namespace {

using cupti::ActivityKind;
using cupti::ActivityRecord;
using cupti::ActivityStatus;
using cupti::ExternalKind;
using cupti::FlushMode;

struct Stacks {
  std::vector<uint64_t> of[2];
};
thread_local Stacks stacks;

constexpr const char* kKindNames[] = {
    "Runtime", "Driver",          "ConcurrentKernel",    "Copy",
    "Fill",    "Synchronization", "ExternalCorrelation", "Overhead",
    "Event"};

ActivityKind kind_of(const DeviceRow& row) {
  switch (row.kind) {
    case DeviceRowKind::RuntimeCall:
      return ActivityKind::Runtime;
    case DeviceRowKind::DriverCall:
      return ActivityKind::Driver;
    case DeviceRowKind::Kernel:
      return ActivityKind::ConcurrentKernel;
    case DeviceRowKind::Copy:
      return ActivityKind::Copy;
    case DeviceRowKind::Fill:
      return ActivityKind::Fill;
    case DeviceRowKind::Sync:
      return ActivityKind::Synchronization;
    case DeviceRowKind::Overhead:
      return ActivityKind::Overhead;
  }
  return ActivityKind::Overhead;
}

}  // namespace

std::string MockActivity::message(ActivityStatus status) {
  return status.code == cupti::kMultipleSubscribers
             ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
             : "CUPTI_ERROR";
}

std::vector<std::string> MockActivity::take_log() { return std::exchange(log_, {}); }

bool MockActivity::is_on(ActivityKind kind) const {
  return kinds_ >> static_cast<unsigned>(kind) & 1;
}

cupti::Subscription MockActivity::subscribe() {
  log("subscribe");
  is_subscribed_ = subscription_code == 0;
  return {{subscription_code}, holder};
}
ActivityStatus MockActivity::unsubscribe() {
  log("unsubscribe");
  is_subscribed_ = false;
  return {};
}
ActivityStatus MockActivity::use_system_thread_ids() {
  log("thread ids");
  EXPECT_TRUE(is_subscribed_);
  threads_join_ = thread_id_code == 0;
  return {thread_id_code};
}
ActivityStatus MockActivity::register_clock(Clock clock) {
  log("clock");
  EXPECT_TRUE(is_subscribed_);
  EXPECT_EQ(kinds_, 0U) << "too late: kinds are recorded already";
  if (clock_code == 0) {
    clock_ = clock;
    // pytorch#192021: each registration after the first breaks one more kernel.
    broken_kernels_ = clocks_registered_++;
  }
  return {clock_code};
}
ActivityStatus MockActivity::set_attributes() {
  log("attributes");
  return {};
}
ActivityStatus MockActivity::register_buffers(cupti::BufferPool& pool) {
  log("buffers");
  pool_ = buffers_code == 0 ? &pool : nullptr;
  return {buffers_code};
}
ActivityStatus MockActivity::enable(ActivityKind kind) {
  log(std::string("enable ") + kKindNames[static_cast<int>(kind)]);
  if (static_cast<int>(kind) == refused_kind) return {refused_kind_code};
  kinds_ |= 1U << static_cast<unsigned>(kind);
  if (kind == ActivityKind::Runtime || kind == ActivityKind::Driver) left_out_.clear();
  return {};
}
ActivityStatus MockActivity::disable(ActivityKind kind) {
  log(std::string("disable ") + kKindNames[static_cast<int>(kind)]);
  kinds_ &= ~(1U << static_cast<unsigned>(kind));
  return {};
}
ActivityStatus MockActivity::leave_out(std::string_view function) {
  log("leave out " + std::string(function));
  left_out_.emplace_back(function);
  return {};
}

ActivityStatus MockActivity::push_external(ExternalKind kind, uint64_t id) noexcept {
  stacks.of[static_cast<int>(kind)].push_back(id);
  return {};
}
ActivityStatus MockActivity::pop_external(ExternalKind kind) noexcept {
  std::vector<uint64_t>& stack = stacks.of[static_cast<int>(kind)];
  if (stack.empty()) return {1};
  stack.pop_back();
  return {};
}

int64_t MockActivity::on_own_clock(int64_t ns) const {
  if (clock_ || ns == 0) return ns;
  return std::llround(static_cast<double>(ns) * clock_slope) + clock_offset_ns;
}

std::optional<uint64_t> MockActivity::time() {
  if (has_no_clock) return {};
  return static_cast<uint64_t>(on_own_clock(now_ns()));
}

uint64_t MockActivity::call(const char* name, int64_t begin_ns, int64_t end_ns,
                            DeviceRowKind kind) {
  const std::lock_guard guard(lock_);
  ActivityRecord record;
  record.row.kind = kind;
  record.row.name = name;
  record.row.begin_ns = begin_ns;
  record.row.end_ns = end_ns;
  record.row.correlation = ++correlation_;
  // As pthread_self() looks in a 32-bit field.
  record.row.tid = threads_join_ ? gettid() : -static_cast<int64_t>(pthread_self() % 1'000'000'000);
  if (std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end()) return correlation_;
  for (const ExternalKind external : {ExternalKind::Operation, ExternalKind::Range}) {
    const std::vector<uint64_t>& stack = stacks.of[static_cast<int>(external)];
    if (stack.empty() || !is_on(ActivityKind::ExternalCorrelation)) continue;
    ActivityRecord joint;
    joint.kind = ActivityRecord::Kind::External;
    joint.row.correlation = correlation_;
    joint.external_kind = external;
    joint.external_id = stack.back();
    put(joint);
  }
  put(record);
  return correlation_;
}

void MockActivity::work(DeviceRow row, bool has_ended) {
  const std::lock_guard guard(lock_);
  if (row.kind == DeviceRowKind::Kernel && broken_kernels_ > 0) {
    --broken_kernels_;
    row.begin_ns -= 1'000'000;
  }
  ActivityRecord record;
  record.row = std::move(row);
  if (is_on(kind_of(record.row))) pending_.push_back({std::move(record), has_ended});
}

void MockActivity::kernel(uint64_t correlation, int64_t begin_ns, int64_t end_ns, int64_t stream,
                          bool has_ended) {
  DeviceRow row;
  row.kind = DeviceRowKind::Kernel;
  row.name = "k";
  row.begin_ns = begin_ns;
  row.end_ns = end_ns;
  row.correlation = correlation;
  row.stream = stream;
  row.context = 1;
  work(row, has_ended);
}

void MockActivity::wait(DeviceRow row, uint64_t awaited_event) {
  const std::lock_guard guard(lock_);
  ActivityRecord record;
  row.kind = DeviceRowKind::Sync;
  record.row = std::move(row);
  record.event = awaited_event;
  put(record);
}

void MockActivity::event_recorded(uint64_t event, uint64_t correlation, int64_t stream) {
  const std::lock_guard guard(lock_);
  ActivityRecord record;
  record.kind = ActivityRecord::Kind::Event;
  record.event = event;
  record.row.correlation = correlation;
  record.row.stream = stream;
  if (is_on(ActivityKind::Event)) put(record);
}

void MockActivity::overhead(int64_t begin_ns, int64_t end_ns) {
  DeviceRow row;
  row.kind = DeviceRowKind::Overhead;
  row.name = "Instrumentation";
  row.begin_ns = begin_ns;
  row.end_ns = end_ns;
  work(row);
}

void MockActivity::put(ActivityRecord record) {
  if (record.kind == ActivityRecord::Kind::Row && !is_on(kind_of(record.row)) &&
      record.row.is_call())
    return;
  if (lost_ > 0) {
    --lost_;
    ++dropped_;
    return;
  }
  constexpr std::size_t kBytes = sizeof(std::size_t);
  if (!buffer_.empty() && used_ + kBytes > buffer_.size()) deliver();
  if (buffer_.empty() && pool_) {
    is_in_callback_ = true;
    if (in_callback) in_callback();
    buffer_ = pool_->request();
    is_in_callback_ = false;
  }
  if (buffer_.empty()) {
    ++dropped_;
    return;
  }
  record.row.begin_ns = on_own_clock(record.row.begin_ns);
  record.row.end_ns = on_own_clock(record.row.end_ns);
  const std::size_t place = records_.size();
  std::memcpy(buffer_.data() + used_, &place, kBytes);
  used_ += kBytes;
  records_.push_back(std::move(record));
}

void MockActivity::deliver() {
  if (buffer_.empty()) return;
  is_in_callback_ = true;
  if (in_callback) in_callback();
  pool_->complete(buffer_.data(), used_);
  is_in_callback_ = false;
  buffer_ = {};
  used_ = 0;
}

ActivityStatus MockActivity::synchronize() {
  const std::lock_guard guard(lock_);
  log("synchronize");
  for (Pending& pending : pending_) pending.has_ended = true;
  return {};
}

ActivityStatus MockActivity::flush(FlushMode mode) {
  const std::lock_guard guard(lock_);
  log(mode == FlushMode::Forced ? "flush forced" : "flush");
  std::vector<Pending> later;
  for (Pending& pending : pending_) {
    if (!pending.has_ended && mode == FlushMode::Finished) {
      later.push_back(std::move(pending));
      continue;
    }
    if (!pending.has_ended) pending.record.row.end_ns = 0;
    put(std::move(pending.record));
  }
  pending_ = std::move(later);
  deliver();
  return {};
}

uint64_t MockActivity::take_dropped() {
  const std::lock_guard guard(lock_);
  EXPECT_FALSE(is_in_callback_) << "Kineto met a deadlock here";
  return std::exchange(dropped_, 0);
}

void MockActivity::read(std::span<const uint8_t> buffer, std::vector<ActivityRecord>& records) {
  const auto first = static_cast<std::ptrdiff_t>(records.size());
  for (std::size_t at = 0; at < buffer.size(); at += sizeof(std::size_t)) {
    std::size_t place = 0;
    std::memcpy(&place, buffer.data() + at, sizeof place);
    records.push_back(records_[place]);
  }
  if (delivers_backwards) std::reverse(records.begin() + first, records.end());
}

}  // namespace notape::trace::testing
