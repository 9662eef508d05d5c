#include "trace/gpu/sim/simulation_observer.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <unordered_map>

#include "ops/spec/op_spec.h"
#include "trace/record/clock.h"
#include "trace/record/event_number.h"

namespace notape::trace {
namespace {

struct Running {
  uint64_t operation;
  bool has_launched = false;
};
struct OfThread {
  std::vector<Running> running;                          // outermost first
  std::unordered_map<const char*, bool> known_launches;  // by name
};
/// On the heap: libraries that are loaded late share little room for data of threads.
OfThread& of_thread() {
  static thread_local const auto all = std::make_unique<OfThread>();
  return *all;
}

void wait_until(int64_t time_ns) {
  while (now_ns() < time_ns) {
  }
}

bool remembered(const char* name) {
  const auto [place, is_new] = of_thread().known_launches.try_emplace(name);
  if (is_new) place->second = launches_kernel(name);
  return place->second;
}

}  // namespace

bool launches_kernel(std::string_view name) {
  static constexpr std::string_view kCopies[] = {"cat",  "stack", "repeat",    "flip",
                                                 "roll", "clone", "contiguous"};
  if (std::find(std::begin(kCopies), std::end(kCopies), name) != std::end(kCopies)) return true;
  if (name.ends_with('_')) name.remove_suffix(1);
  const auto& rows = op_specs();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const OpSpec* candidate) { return candidate->name == name; });
  return row != rows.end() && (*row)->family != std::string_view("shape");
}

SimulationObserver::SimulationObserver(Observer& behind, SimulatedCosts costs)
    : ObserverInFront(behind), gpu_(costs) {
  begin_event_numbers();
  op_specs();  // sorts them, which takes a while
}

void SimulationObserver::begin() noexcept {
  of_thread().running.push_back({next_operation_number()});
}

void SimulationObserver::operator_begin(const char* name, uint64_t sequence_nr) noexcept {
  ObserverInFront::operator_begin(name, sequence_nr);
  begin();
}

void SimulationObserver::operator_end(const char* name, uint64_t sequence_nr) noexcept {
  std::vector<Running>& running = of_thread().running;
  if (!running.empty()) {
    const Running ended = running.back();
    running.pop_back();
    bool has_launched = ended.has_launched;
    if (!has_launched && remembered(name)) {
      int64_t returns_at = 0;
      {
        const std::lock_guard guard(lock_);
        returns_at = gpu_.launch({gettid(), ended.operation, now_ns()},
                                 std::string("notape::") + name + "_kernel");
      }
      wait_until(returns_at);
      has_launched = true;
    }
    if (!running.empty()) running.back().has_launched |= has_launched;
  }
  ObserverInFront::operator_end(name, sequence_nr);
}

void SimulationObserver::node_begin(const Node& node) noexcept {
  ObserverInFront::node_begin(node);
  begin();
}
void SimulationObserver::node_end(const Node& node) noexcept {
  if (std::vector<Running>& running = of_thread().running; !running.empty()) running.pop_back();
  ObserverInFront::node_end(node);
}

DeviceRecording SimulationObserver::finish() {
  const std::lock_guard guard(lock_);
  wait_until(gpu_.synchronize({gettid(), 0, now_ns()}));
  return gpu_.take();
}

}  // namespace notape::trace
