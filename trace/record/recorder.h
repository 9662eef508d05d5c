// Recorder: notes when operators, backward nodes and ranges begin and end. Process-wide, because
// backward may run on other threads, and off until start(): until then it is not called.
// On, an event is two clock reads and two stores into the thread's own log: no lock, no allocation,
// no formatting.
#pragma once
#include <memory>
#include <mutex>

#include "autograd/observer.h"
#include "autograd/tensor/memory_observer.h"
#include "trace/record/recording.h"

namespace notape::trace {

struct RecorderError : ErrorOf<"RecorderError"> {
  using ErrorOf::ErrorOf;
};

class Recorder final : public Observer, private MemoryObserver {
 public:
  struct Options {
    /// Events a thread has room for; 64 bytes each. What does not fit is counted, not kept. With
    /// `shapes` each operand takes half an event's room, with `memory` each change a whole one's.
    std::size_t events_per_thread = std::size_t{1} << 18;
    bool shapes = false;  ///< sizes and types of what operators were called with
    bool memory = false;  ///< what tensors get and give back
    /// Installed in place of the recorder, to which it must pass everything on. Must stay alive
    /// until no operator that saw it can still be running.
    Observer* in_front = nullptr;
    /// What tells the time of the session, if not the system.
    using ClockFunction = int (*)(clockid_t, timespec*);
    ClockFunction clock = nullptr;
  };

  static Recorder& instance();

  /// Measures its own cost and begins a session. Throws RecorderError if one is running.
  void start(Options options);
  void start() { start(Options()); }
  /// Ends the session. Events that are still running have `end_ns` 0. Throws RecorderError if none
  /// is running.
  Recording stop();
  /// The same for who has read the logs: the Recording has no threads.
  Recording end();
  bool is_recording() const noexcept { return session_.load(std::memory_order_relaxed) % 2 == 1; }

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override;
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override;
  void node_begin(const Node& node) noexcept override;
  void node_end(const Node& node) noexcept override;
  void operands(const Tensor* const* tensors, std::size_t count) noexcept override;

  /// What belongs to the session that runs, for those who read while it does: its number, when it
  /// began, and the logs of all threads seen so far.
  uint64_t session() const noexcept { return session_.load(std::memory_order_acquire); }
  ClockPair started() const { return started_; }
  std::vector<std::shared_ptr<EventLog>> logs();
  /// Forgets the logs of threads that are gone, if all of it has been read.
  void forget_read_logs();
  /// Around fork(): the child, which has none of the other threads, records no more.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child() noexcept;

  /// `name` must live as long as the process: see intern().
  void range_begin(EventKind kind, const char* name, uint64_t number) noexcept;
  void range_end() noexcept;

 private:
  Recorder() = default;
  void open(EventKind kind, const char* name, uint64_t number, uint32_t recorded_by) noexcept;
  void memory_changed(const MemoryChange& change) noexcept override;
  void log_memory(const MemoryChange& change) noexcept;
  EventLog* log_of_this_thread() noexcept;
  EventLog* register_this_thread() noexcept;
  RecorderCost measure_cost(const Options& options);

  std::atomic<uint64_t> session_{0};  // odd while recording
  std::atomic<std::size_t> events_per_thread_{0};
  std::atomic<uint16_t> watched_{0};        // what ThreadState gets where operators begin
  std::atomic<uint8_t> memory_session_{0};  // likewise

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
