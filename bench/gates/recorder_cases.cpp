// What recording costs: an event of each kind alone, and an operator under the recorder.
#include "autograd/autograd.h"
#include "bench/gates/cases.h"
#include "ops/ops.h"
#include "trace/record/recorder.h"

namespace notape::bench {
namespace {

using trace::Recorder;

/// This thread's log, of which the case reads nothing: its room is given back after each call.
struct Session {
  std::vector<std::shared_ptr<trace::EventLog>> logs;

  void start(bool shapes, bool memory) {
    Recorder::Options options;
    options.shapes = shapes;
    options.memory = memory;
    Recorder::instance().start(options);
    logs = Recorder::instance().logs();
  }
  void empty() const {
    for (const auto& log : logs) log->free(log->end());
  }
  void end() {
    logs.clear();
    static_cast<void>(Recorder::instance().end());
  }
};

constexpr int kCalls = 10;

template <typename Call>
GateCase recorded(std::string name, double max_instructions, bool shapes, bool memory, Call call,
                  double max_ns = 0) {
  const auto session = std::make_shared<Session>();
  return {.name = std::move(name),
          .operations = kCalls,
          .call =
              [session, call] {
                for (int i = 0; i < kCalls; ++i) call();
                session->empty();
              },
          .max_instructions = max_instructions,
          .max_allocations = 0,
          .max_ns = max_ns,
          .before = [=] { session->start(shapes, memory); },
          .after = [session] { session->end(); }};
}

}  // namespace

// Under callgrind reading the clock is one system call, which has next to no instructions.
void add_recorder_cases(std::vector<GateCase>& cases) {
  const auto a = std::make_shared<Tensor>(ones({8}));
  const auto event = [] {
    Observer& recorder = Recorder::instance();
    recorder.operator_begin("none", 0);
    recorder.operator_end("none", 0);
  };
  const auto event_with_operands = [=] {
    Recorder& recorder = Recorder::instance();
    const Tensor* const operands[] = {a.get(), a.get()};
    recorder.operator_begin("none", 0);
    recorder.operands(operands, 2);
    recorder.operator_end("none", 0);
  };
  const auto change = [] {
    if (MemoryObserver* const observer = active_memory_observer.load())
      observer->memory_changed({kCPU, &active_memory_observer, 64, 64, 0});
  };
  cases.push_back(recorded("recorder: an event", 200, false, false, event, /*max_ns=*/60));
  cases.push_back(
      recorded("recorder: an event with two operands", 400, true, false, event_with_operands));
  cases.push_back(recorded("recorder: a change of memory", 150, false, true, change));
  cases.push_back(recorded("add, no graph, recorded", 900, false, false, [=] { *a + *a; }));
  cases.push_back(recorded("add, no graph, recorded with shapes and memory", 1500, true, true,
                           [=] { *a + *a; }));
}

}  // namespace notape::bench
