// notape_gates: prints, as JSON, what each gated case costs per operation. Under callgrind it dumps
// one count of instructions per case instead; check_gates.py drives both.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "bench/gates/allocations.h"
#include "bench/gates/cases.h"

using notape::bench::GateCase;

namespace {

constexpr int kWarmUp = 50;

void repeat(const GateCase& one, int calls) {
  for (int i = 0; i < calls; ++i) one.call();
}

/// Calls per measurement: about a thousand operations.
int calls_for(const GateCase& one) { return std::max(1000 / one.operations, 10); }

void dump_instructions(const std::vector<GateCase>& cases) {
  for (const GateCase& one : cases) {
    one.before();
    repeat(one, kWarmUp);
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    repeat(one, calls_for(one));
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(one.name.c_str());
    one.after();
  }
}

double allocations_per_operation(const GateCase& one, int calls) {
  const uint64_t before = notape::bench::allocation_calls();
  repeat(one, calls);
  return static_cast<double>(notape::bench::allocation_calls() - before) / calls / one.operations;
}

/// Nanoseconds per operation of 15 batches of at least a millisecond.
std::vector<double> batches(const GateCase& one) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> result;
  int calls = calls_for(one);
  while (result.size() < 15) {
    const auto start = Clock::now();
    repeat(one, calls);
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    if (ns < 1e6) {
      calls *= 2;
    } else {
      result.push_back(ns / calls / one.operations);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

void print_case(const GateCase& one, bool last) {
  one.before();
  repeat(one, kWarmUp);
  const double early = allocations_per_operation(one, calls_for(one));
  const std::vector<double> ns = batches(one);
  const double late = allocations_per_operation(one, calls_for(one));
  one.after();
  std::printf(
      "  {\"name\": \"%s\", \"calls\": %d, \"operations\": %d, \"allocations\": %.4f, "
      "\"allocations_later\": %.4f, \"ns_min\": %.1f, \"ns_median\": %.1f, "
      "\"max_instructions\": %g, \"max_allocations\": %g, \"max_ns\": %g}%s\n",
      one.name.c_str(), calls_for(one), one.operations, early, late, ns.front(), ns[ns.size() / 2],
      one.max_instructions, one.max_allocations, one.max_ns, last ? "" : ",");
}

}  // namespace

int main() {
  std::vector<GateCase> cases = notape::bench::gate_cases();
  notape::bench::add_recorder_cases(cases);
  notape::bench::add_optimizer_cases(cases);
  if (RUNNING_ON_VALGRIND) {
    dump_instructions(cases);
    return 0;
  }
  std::puts("[");
  for (const GateCase& one : cases) print_case(one, &one == &cases.back());
  std::puts("]");
}
