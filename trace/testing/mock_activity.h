// MockActivity: CUPTI as its documentation describes it, without a GPU, and with what goes wrong:
// it loses, delays, reorders and refuses. A test says what the GPU does.
#pragma once
#include <functional>
#include <mutex>

#include "trace/gpu/cupti/activity_api.h"

namespace notape::trace::testing {

class MockActivity final : public cupti::ActivityApi {
 public:
  // What goes wrong.
  std::string reason_unavailable;
  int subscription_code = 0;
  std::string holder;
  int clock_code = 0, thread_id_code = 0, buffers_code = 0;
  int refused_kind = -1, refused_kind_code = 0;
  bool has_no_clock = false;
  int64_t clock_offset_ns = 1'000'000'000'000;  ///< of CUPTI's own clock to the recorder's
  double clock_slope = 1;                       ///< how much faster that one runs
  bool delivers_backwards = false;
  std::function<void()> in_callback;  ///< runs while CUPTI's lock is held, around each callback

  // What the program does. Times are on the recorder's clock, in ns.
  uint64_t call(const char* name, int64_t begin_ns, int64_t end_ns,
                DeviceRowKind kind = DeviceRowKind::RuntimeCall);
  /// Work or a wait; from one that waits for synchronize() a forced flush takes the end.
  void work(DeviceRow row, bool has_ended = true);
  void kernel(uint64_t correlation, int64_t begin_ns, int64_t end_ns, int64_t stream = 7,
              bool has_ended = true);
  void wait(DeviceRow row, uint64_t awaited_event);
  void event_recorded(uint64_t event, uint64_t correlation, int64_t stream);
  void overhead(int64_t begin_ns, int64_t end_ns);
  /// The next `count` records find no room in CUPTI.
  void lose(uint64_t count) { lost_ += count; }

  /// What the collector called, since the last time.
  std::vector<std::string> take_log();
  int clocks_registered() const { return clocks_registered_; }

  std::string unavailable() override { return reason_unavailable; }
  std::string message(cupti::ActivityStatus status) override;
  std::string version() override { return "a mock of CUPTI"; }
  cupti::Subscription subscribe() override;
  cupti::ActivityStatus unsubscribe() override;
  cupti::ActivityStatus use_system_thread_ids() override;
  cupti::ActivityStatus register_clock(Clock clock) override;
  cupti::ActivityStatus set_attributes() override;
  cupti::ActivityStatus register_buffers(cupti::BufferPool& pool) override;
  cupti::ActivityStatus enable(cupti::ActivityKind kind) override;
  cupti::ActivityStatus disable(cupti::ActivityKind kind) override;
  cupti::ActivityStatus leave_out(std::string_view function) override;
  cupti::ActivityStatus push_external(cupti::ExternalKind kind, uint64_t id) noexcept override;
  cupti::ActivityStatus pop_external(cupti::ExternalKind kind) noexcept override;
  cupti::ActivityStatus synchronize() override;
  cupti::ActivityStatus flush(cupti::FlushMode mode) override;
  std::optional<uint64_t> time() override;
  uint64_t take_dropped() override;
  void read(std::span<const uint8_t> buffer, std::vector<cupti::ActivityRecord>& records) override;

 private:
  struct Pending {
    cupti::ActivityRecord record;
    bool has_ended;
  };

  bool is_on(cupti::ActivityKind kind) const;
  int64_t on_own_clock(int64_t ns) const;
  void put(cupti::ActivityRecord record);
  void deliver();
  void log(std::string line) { log_.push_back(std::move(line)); }

  std::recursive_mutex lock_;  // CUPTI's own
  std::vector<std::string> log_, left_out_;
  unsigned kinds_ = 0;
  bool is_subscribed_ = false, threads_join_ = false, is_in_callback_ = false;
  Clock clock_ = nullptr;
  int clocks_registered_ = 0;
  cupti::BufferPool* pool_ = nullptr;
  std::span<uint8_t> buffer_;
  std::size_t used_ = 0;
  std::vector<cupti::ActivityRecord> records_;  // a buffer holds their places
  std::vector<Pending> pending_;
  uint64_t lost_ = 0, dropped_ = 0, correlation_ = 0;
  int broken_kernels_ = 0;
};

}  // namespace notape::trace::testing
