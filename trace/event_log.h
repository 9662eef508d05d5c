// EventLog: what one thread did during a session, in a fixed buffer that only this thread writes.
// An event takes its place when it begins, so events stand in order and a parent before its
// children; its end is filled in later. A full buffer counts what no longer fits.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/clock.h"

namespace notape::trace {

enum class EventKind : uint8_t { Operator, Node, Range, Step };

inline constexpr uint32_t kNoEvent = UINT32_MAX;

struct Event {
  const char* name;  // lives as long as the process
  int64_t begin_ns;
  int64_t end_ns;  // 0: still running
  /// Operator: the number the next node would get; Node: its own; Step: the step's.
  uint64_t number;
  uint32_t parent;          // position of the enclosing event, or kNoEvent
  uint32_t nodes_recorded;  // Operator: nodes recorded until it ended, by inner operators too
  uint32_t recorded_by;     // Node: number of the thread that ran the forward operator
  EventKind kind;
};

/// What one thread left behind in a session.
struct ThreadRecording {
  uint32_t number = 0;  ///< 1, 2, ... in the order in which threads were first seen
  int64_t tid = 0;      ///< as the system calls it
  std::string name;
  std::vector<Event> events;
  uint64_t dropped = 0;
};

class EventLog {
 public:
  /// Made by the thread it belongs to.
  explicit EventLog(uint32_t number);

  uint32_t number() const { return number_; }

  /// Begins an event of `session`. Called by the owner only, like close().
  void open(uint64_t session, std::size_t capacity, EventKind kind, const char* name,
            uint64_t number, uint32_t recorded_by) noexcept {
    if (session_.load(std::memory_order_relaxed) != session) [[unlikely]]
      begin_session(session, capacity);
    const uint32_t place = size_.load(std::memory_order_relaxed);
    if (place == limit_) [[unlikely]] {
      skip();
      return;
    }
    Event& event = events_[place];
    event.name = name;
    event.end_ns = 0;
    event.number = number;
    event.parent = innermost_;
    event.nodes_recorded = 0;
    event.recorded_by = recorded_by;
    event.kind = kind;
    innermost_ = place;
    event.begin_ns = now_ns();
    size_.store(place + 1, std::memory_order_release);
  }

  /// Ends the innermost event, unless it has another name: then ours began outside the session.
  void close(const char* name, uint64_t next_sequence_nr) noexcept {
    const int64_t end = now_ns();
    if (skipped_depth_ != 0) [[unlikely]] {
      --skipped_depth_;
      return;
    }
    if (innermost_ == kNoEvent || events_[innermost_].name != name) return;
    Event& event = events_[innermost_];
    innermost_ = event.parent;
    if (event.kind == EventKind::Operator)
      std::atomic_ref(event.nodes_recorded)
          .store(static_cast<uint32_t>(next_sequence_nr - event.number), std::memory_order_relaxed);
    std::atomic_ref(event.end_ns).store(end, std::memory_order_release);
  }

  /// What the log holds of `session`; any thread may ask, also while the owner goes on.
  ThreadRecording read(uint64_t session) const;

 private:
  void begin_session(uint64_t session, std::size_t capacity) noexcept;
  void skip() noexcept;

  const uint32_t number_;
  const int64_t tid_;
  const std::string name_;
  std::atomic<uint64_t> session_{0};
  std::atomic<uint32_t> size_{0};
  std::atomic<uint64_t> dropped_{0};
  uint32_t limit_ = 0;
  uint32_t innermost_ = kNoEvent;
  uint64_t skipped_depth_ = 0;
  std::size_t allocated_ = 0;
  std::unique_ptr<Event[]> events_;
};

}  // namespace notape::trace
