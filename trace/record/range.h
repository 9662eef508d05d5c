// Range and Step: named parts of a program, for the timeline. They do nothing without a recorder.
//
//   for (int i = 0; i < 5; ++i) {
//     trace::Step step(i);
//     trace::Range range("forward");
//     ...
#pragma once
#include <atomic>

#include "trace/record/event_log.h"

namespace notape::trace {

class Range {
 public:
  /// `name` must live as long as the process; intern() makes such a name from any other.
  explicit Range(const char* name) noexcept : Range(EventKind::Range, name, 0) {}
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 protected:
  Range(EventKind kind, const char* name, uint64_t number) noexcept;

 private:
  bool recorded_, marked_, watched_;
};

/// Learns of ranges and steps that the recorder has begun, or is about to end.
class RangeWatcher {
 public:
  virtual void range_begin() noexcept = 0;
  virtual void range_end() noexcept = 0;

 protected:
  ~RangeWatcher() = default;
};
/// For the whole process; null: none.
extern std::atomic<RangeWatcher*> range_watcher;

/// One iteration of a training loop: `ProfilerStep#number` in the file.
class Step : public Range {
 public:
  explicit Step(uint64_t number) noexcept : Range(EventKind::Step, "ProfilerStep", number) {}
};

/// A stretch that need not nest in others and may end on another thread, such as a transfer in the
/// background. Timelines nest, so it is seen by NVIDIA's tools alone (--nvtx).
class AsynchronousRange {
 public:
  /// `name` must live as long as the process.
  explicit AsynchronousRange(const char* name) noexcept;
  ~AsynchronousRange();
  AsynchronousRange(AsynchronousRange&& other) noexcept;
  AsynchronousRange& operator=(AsynchronousRange&&) = delete;

 private:
  bool marked_;
  uint64_t number_;
};

/// Ends this thread's step, if step() has begun one, and begins the next, 0, 1, ... in all threads.
/// For loops that call it at the end or at the beginning of an iteration; outside other ranges.
void step() noexcept;

}  // namespace notape::trace
