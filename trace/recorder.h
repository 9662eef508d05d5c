// Recorder: notes when operators, backward nodes and ranges begin and end. Process-wide, because
// backward may run on other threads, and off until start(): then nobody calls it.
// On, an event is two clock reads and one store into the thread's own log: no lock, no allocation,
// no formatting.
#pragma once
#include <memory>
#include <mutex>

#include "autograd/observer.h"
#include "trace/recording.h"

namespace notape::trace {

struct RecorderError : ErrorOf<"RecorderError"> {
  using ErrorOf::ErrorOf;
};

class Recorder final : public Observer {
 public:
  struct Options {
    /// Events a thread has room for; 56 bytes each. What does not fit is counted, not kept.
    std::size_t events_per_thread = std::size_t{1} << 18;
    /// Installed in place of the recorder, to which it must pass everything on. Must stay alive
    /// until no operator that saw it can still be running.
    Observer* in_front = nullptr;
  };

  static Recorder& instance();

  /// Measures its own cost and begins a session. Throws RecorderError if one is running.
  void start(Options options);
  void start() { start(Options()); }
  /// Ends the session. Events that are still running have `end_ns` 0. Throws RecorderError if none
  /// is running.
  Recording stop();
  bool is_recording() const noexcept { return session_.load(std::memory_order_relaxed) % 2 == 1; }

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override;
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override;
  void node_begin(const Node& node) noexcept override;
  void node_end(const Node& node) noexcept override;
  /// `name` must live as long as the process: see intern().
  void range_begin(EventKind kind, const char* name, uint64_t number) noexcept;
  void range_end(const char* name) noexcept;

 private:
  Recorder() = default;
  void open(EventKind kind, const char* name, uint64_t number, uint32_t recorded_by) noexcept;
  EventLog* register_this_thread() noexcept;
  RecorderCost measure_cost();

  std::atomic<uint64_t> session_{0};  // odd while recording
  std::atomic<std::size_t> events_per_thread_{0};

  std::mutex control_;  // start() and stop()
  ClockPair started_;
  RecorderCost cost_;
  Observer* before_ = nullptr;

  std::mutex registry_;  // the list of logs
  std::vector<std::shared_ptr<EventLog>> logs_;
  uint32_t threads_seen_ = 0;
};

/// A copy of `name` that lives as long as the process; equal names share one.
const char* intern(std::string_view name);

}  // namespace notape::trace
