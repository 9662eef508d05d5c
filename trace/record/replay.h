// Replay: the records of one thread's log, one after the other, back as events.
#pragma once
#include <vector>

#include "trace/record/recording.h"

namespace notape::trace {

class Replay {
 public:
  enum class Seen : uint8_t { Nothing, Begin, End, Memory };

  /// Takes the next record. Begin: innermost() is new; End: ended() has just ended; Memory:
  /// memory() has changed.
  Seen take(const Record& record);

  /// Events that have begun and not ended, outermost first. Operands may still come.
  const std::vector<Event>& open() const { return open_; }
  std::vector<Event>& open() { return open_; }
  const Event& ended() const { return ended_; }
  const RecordedMemory& memory() const { return memory_; }

 private:
  void add_operand(const Record& record);

  std::vector<Event> open_;
  Event ended_{};
  RecordedMemory memory_{};
  std::size_t missing_sizes_ = 0;  // of the last operand
  bool ignores_operands_ = false;  // the event has some already
};

/// The log's events of `session`; any thread may ask, also while the owner writes.
ThreadRecording read_thread(const EventLog& log, uint64_t session);

}  // namespace notape::trace
