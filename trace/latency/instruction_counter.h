// InstructionCounter: instructions that this thread has executed outside the kernel, as the
// processor counts them (perf_event_open). Many virtual machines have no such counter.
#pragma once
#include <cstdint>
#include <string>

namespace notape::trace {

class InstructionCounter {
 public:
  /// What is counted, as linux/perf_event.h numbers it.
  struct Event {
    uint32_t type, config;
  };
  static Event instructions();
  /// ns of this thread, counted by the kernel: there without a counter in the processor.
  static Event thread_time();

  /// Never throws: see reason().
  explicit InstructionCounter(Event event = instructions());
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  /// Why there is no counter: "no perf counters: ..."; empty if there is one.
  const std::string& reason() const { return reason_; }
  /// Counted since it was made. -1 without a counter.
  int64_t read() const;

 private:
  int descriptor_ = -1;
  std::string reason_;
};

}  // namespace notape::trace
