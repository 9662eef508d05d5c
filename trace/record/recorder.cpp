#include "trace/record/recorder.h"

#include <algorithm>
#include <set>

#include "autograd/graph/node.h"
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/factories.h"
#include "trace/record/nvtx_observer.h"
#include "trace/record/replay.h"

namespace notape::trace {
namespace {

constinit thread_local EventLog* this_thread = nullptr;
constinit thread_local bool is_ending = false;

/// A thread's share of its log; what it recorded outlives it.
struct Owner {
  ~Owner() {
    is_ending = true;
    this_thread = nullptr;
  }
  std::shared_ptr<EventLog> log;
};
thread_local Owner owner;

struct NoNode final : FixedNode<1> {
  NoNode() : FixedNode("NoNode", "none", SourceLocation::current(), 0) {}
  void apply(Tensor*, Tensor*, const Wanted&) override {}
};

/// ns per call of f: the fastest of several batches.
template <typename F>
double fastest(F f) {
  constexpr int kBatches = 15, kCalls = 200;
  int64_t best = INT64_MAX;
  for (int batch = 0; batch < kBatches; ++batch) {
    const int64_t begin = now_ns();
    for (int i = 0; i < kCalls; ++i) f();
    best = std::min(best, now_ns() - begin);
  }
  return static_cast<double>(best) / kCalls;
}

}  // namespace

Recorder& Recorder::instance() {
  static Recorder* const recorder = new Recorder;  // operators may outlast static destructors
  return *recorder;
}

EventLog* Recorder::register_this_thread() noexcept {
  if (is_ending) return nullptr;
  try {
    const std::lock_guard guard(registry_);
    logs_.push_back(std::make_shared<EventLog>(threads_seen_ + 1));
    owner.log = logs_.back();
    this_thread = owner.log.get();
    thread_state.observed_as = ++threads_seen_;
  } catch (const std::bad_alloc&) {
    // Without memory for a log this thread stays unseen.
  }
  return this_thread;
}

EventLog* Recorder::log_of_this_thread() noexcept {
  return this_thread ? this_thread : register_this_thread();
}

void Recorder::open(EventKind kind, const char* name, uint64_t number,
                    uint32_t recorded_by) noexcept {
  const uint64_t session = session_.load(std::memory_order_acquire);
  if (session % 2 == 0) return;
  if (EventLog* log = log_of_this_thread())
    log->open(session, events_per_thread_.load(std::memory_order_relaxed), kind, name, number,
              recorded_by);
}

void Recorder::operator_begin(const char* name, uint64_t sequence_nr) noexcept {
  thread_state.watched |= watched_.load(std::memory_order_relaxed);
  thread_state.memory_session = memory_session_.load(std::memory_order_relaxed);
  open(EventKind::Operator, name, sequence_nr, 0);
}
void Recorder::operator_end(const char*, uint64_t) noexcept {
  if (this_thread) this_thread->close(thread_state.next_sequence_nr);
}
void Recorder::node_begin(const Node& node) noexcept {
  thread_state.memory_session = memory_session_.load(std::memory_order_relaxed);
  open(EventKind::Node, node.static_name(), node.sequence_nr(), node.recorded_by());
}
void Recorder::node_end(const Node&) noexcept {
  if (this_thread) this_thread->close(0);
}
void Recorder::operands(const Tensor* const* tensors, std::size_t count) noexcept {
  if (this_thread && watched_.load(std::memory_order_relaxed) != 0)
    this_thread->add_operands(tensors, count);
}
void Recorder::memory_changed(const MemoryChange& change) noexcept {
  if (nvtx_is_on()) nvtx_memory(change.bytes);
  log_memory(change);
}
void Recorder::log_memory(const MemoryChange& change) noexcept {
  const uint64_t session = session_.load(std::memory_order_acquire);
  if (session % 2 == 0) return;
  if (EventLog* log = log_of_this_thread())
    log->add_memory(session, events_per_thread_.load(std::memory_order_relaxed), change);
}
void Recorder::range_begin(EventKind kind, const char* name, uint64_t number) noexcept {
  open(kind, name, number, 0);
}
void Recorder::range_end() noexcept {
  if (this_thread) this_thread->close(0);
}

RecorderCost Recorder::measure_cost(const Options& options) {
  Observer& observer = *this;
  const NoNode node;
  static constexpr const char* name = "none";
  RecorderCost cost;
  cost.operation_ns = fastest([&] {
    observer.operator_begin(name, 0);
    observer.operator_end(name, 0);
  });
  cost.node_ns = fastest([&] {
    observer.node_begin(node);
    observer.node_end(node);
  });
  cost.range_ns = fastest([&] {
    range_begin(EventKind::Range, name, 0);
    range_end();
  });
  if (options.shapes) {
    const Tensor matrix = empty({2, 3});
    const Tensor* const operands[] = {&matrix, &matrix};
    observer.operator_begin(name, 0);
    cost.operands_ns = fastest([&] { this->operands(operands, 2); });
    observer.operator_end(name, 0);
  }
  if (options.memory) cost.memory_ns = fastest([&] { log_memory({kCPU, name, 64, 64, 0}); });
  return cost;
}

void Recorder::start(Options options) {
  const std::lock_guard guard(control_);
  if (is_recording()) throw RecorderError("the recorder is already recording");
  {  // Threads that are gone leave nothing to a new session.
    const std::lock_guard registry_guard(registry_);
    std::erase_if(logs_, [](const auto& log) { return log.use_count() == 1; });
  }
  watched_.store(options.shapes ? uint16_t{TensorImpl::kObserved} : uint16_t{0},
                 std::memory_order_relaxed);
  events_per_thread_.store(std::max<std::size_t>(options.events_per_thread, 20'000),
                           std::memory_order_relaxed);
  session_.fetch_add(1);  // a session for the measurement alone
  cost_ = measure_cost(options);
  session_.fetch_add(1);
  events_per_thread_.store(options.events_per_thread, std::memory_order_relaxed);
  if (options.clock) clock_function.store(options.clock);
  started_ = read_both_clocks();
  session_.fetch_add(1);
  if (options.memory) {
    memory_session_.store(set_memory_observer(this), std::memory_order_relaxed);
    thread_state.memory_session = memory_session_;  // of others, at their first operator
  }
  before_ = set_observer(options.in_front ? options.in_front : this);
}

Recording Recorder::end() {
  const std::lock_guard guard(control_);
  if (!is_recording()) throw RecorderError("the recorder is not recording");
  set_observer(before_);
  if (memory_session_.exchange(0, std::memory_order_relaxed) != 0) set_memory_observer(nullptr);
  session_.fetch_add(1);
  Recording result;
  result.started = started_;
  result.stopped = read_both_clocks();
  clock_function.store(&::clock_gettime);
  result.cost = cost_;
  result.events_per_thread = events_per_thread_.load(std::memory_order_relaxed);
  return result;
}

Recording Recorder::stop() {
  Recording result = end();
  const uint64_t session = this->session() - 1;
  for (const auto& log : logs()) {
    ThreadRecording thread = read_thread(*log, session);
    if (!thread.events.empty() || !thread.memory.empty() || thread.dropped)
      result.threads.push_back(std::move(thread));
  }
  return result;
}

std::vector<std::shared_ptr<EventLog>> Recorder::logs() {
  const std::lock_guard guard(registry_);
  return logs_;
}

void Recorder::forget_read_logs() {
  const std::lock_guard guard(registry_);
  std::erase_if(logs_,
                [](const auto& log) { return log.use_count() == 1 && log->begin() == log->end(); });
}

void Recorder::before_fork() {
  control_.lock();
  registry_.lock();
}

void Recorder::after_fork_in_parent() {
  registry_.unlock();
  control_.unlock();
}

void Recorder::after_fork_in_child() noexcept {
  after_fork_in_parent();
  if (!is_recording()) return;
  set_observer(before_);
  if (memory_session_.exchange(0, std::memory_order_relaxed) != 0) set_memory_observer(nullptr);
  session_.fetch_add(1);
}

const char* intern(std::string_view name) {
  static std::mutex lock;
  static auto* const names = new std::set<std::string, std::less<>>;
  const std::lock_guard guard(lock);
  auto found = names->find(name);
  if (found == names->end()) found = names->emplace(name).first;
  return found->c_str();
}

}  // namespace notape::trace
