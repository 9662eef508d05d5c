// What the driver's memory management costs: calls that make and free device memory stop the host,
// and often the GPU (cudaFree waits for it). The caching allocator above it writes [memory] events.
#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

constexpr int64_t kCuda = 1;  // as a Device Type

struct Calls {
  int64_t device = 0, host = 0, freed = 0;
  int64_t all() const { return device + host + freed; }
};

void count(Calls& calls, const ApiCall& call) {
  if (!is_allocator_call(call.kind)) return;
  ++(call.kind == ApiKind::Free             ? calls.freed
     : call.kind == ApiKind::HostAllocation ? calls.host
                                            : calls.device);
}

Calls count_calls(const Scope& scope) {
  Calls calls;
  scope.each(scope.model().calls, [&](const ApiCall& call) { count(calls, call); });
  return calls;
}

IntervalSet in_scope(const Scope& scope, const IntervalSet& time) {
  return scope.steps().empty() ? time : time & scope.host_time();
}

/// A device allocation, frees, and another allocation in a row inside one op, with nothing launched
/// between: what a caching allocator does when memory has run out.
int64_t count_retries(const Scope& scope) {
  struct State {
    Place op = kNowhere;
    bool has_allocated = false, has_freed = false;
  };
  const TraceModel& model = scope.model();
  std::vector<State> threads(model.threads.size());
  int64_t retries = 0;
  scope.each(model.calls, [&](const ApiCall& call) {
    State& state = threads[call.thread];
    if (call.op != state.op || call.is_linked()) state = {call.op, false, false};
    if (call.op == kNowhere) return;
    if (call.kind == ApiKind::Free) state.has_freed = state.has_allocated;
    if (call.kind != ApiKind::DeviceAllocation) return;
    retries += state.has_freed;
    state = {call.op, true, false};
  });
  return retries;
}

/// The waits that synchronisation rows note inside calls that free.
int64_t sync_in_frees(const Scope& scope) {
  const TraceModel& model = scope.model();
  const IntervalSet in_free = in_scope(scope, scope.file().free_time());
  std::vector<Interval> syncs;
  if (in_free.empty()) return 0;
  const int64_t end = in_free.parts().back().end;
  for (std::size_t i = scope.file().first_sync_beyond(in_free.parts().front().begin);
       i < model.syncs.size() && model.syncs[i].time.begin < end; ++i)
    if (model.name(model.syncs[i].name) != "Stream Wait Event")  // the GPU waits there
      syncs.push_back(model.syncs[i].time);
  return (in_free & IntervalSet(std::move(syncs))).length();
}

void add_cached_memory(Report& report, const Scope& scope, const Calls& calls) {
  int64_t allocations = 0, frees = 0, on_host = 0, bytes = 0, allocated = 0, reserved = 0;
  int64_t host_bytes = 0, host_allocated = 0;
  const auto add_up = [](int64_t& sum, int64_t change) {
    if (change > 0 && __builtin_add_overflow(sum, change, &sum)) sum = INT64_MAX;
  };
  scope.each(scope.model().memory, [&](const MemoryEvent& event) {
    if (event.device_type != kCuda) {
      ++on_host;
      add_up(host_bytes, event.bytes);
      host_allocated = std::max(host_allocated, event.total_allocated);
      return;
    }
    const auto& device = scope.selection().device;
    if (device && event.device != *device) return;
    ++(event.bytes > 0 ? allocations : frees);
    add_up(bytes, event.bytes);
    allocated = std::max(allocated, event.total_allocated);
    reserved = std::max(reserved, event.total_reserved);
  });
  const auto n = static_cast<uint64_t>(allocations + frees + on_host);
  const auto on_device = static_cast<uint64_t>(allocations + frees);
  const auto add = [&](const char* name, Value value, const char* unit, uint64_t count) {
    report.metrics.push_back(scope.metric(name, std::move(value), unit, count, kNeedsMemory));
  };
  if (scope.model().calls.empty())  // whether the driver was called, nobody knows
    report.metrics.push_back(
        scope.no_data("alloc.hit_rate", "ratio", "no API calls", kNeedsMemory));
  else
    add("alloc.hit_rate", ratio(allocations - calls.device, allocations), "ratio",
        static_cast<uint64_t>(allocations));
  add("alloc.device_allocations", allocations, "events", n);
  add("alloc.device_frees", frees, "events", n);
  add("alloc.host_events", on_host, "events", n);
  add("alloc.host_bytes", host_bytes, "bytes", static_cast<uint64_t>(on_host));
  add("alloc.host_allocated_peak", host_allocated, "bytes", static_cast<uint64_t>(on_host));
  add("alloc.device_bytes", bytes, "bytes", on_device);
  const auto add_peak = [&](const char* name, int64_t peak) {
    if (peak == 0 && allocations > 0)
      report.metrics.push_back(
          scope.no_data(name, "bytes", "[memory] events without totals", kNeedsMemory));
    else
      add(name, peak, "bytes", on_device);
  };
  add_peak("alloc.allocated_peak", allocated);
  add_peak("alloc.reserved_peak", reserved);
}

Table memory_curve(const Scope& scope) {
  Table table{"memory of the caching allocator",
              {"time_us", "device", "change", "allocated", "reserved"},
              {}};
  scope.each(scope.model().memory, [&](const MemoryEvent& event) {
    if (event.device_type == kCuda)
      table.rows.push_back({Nanoseconds{event.time - scope.model().origin}, event.device,
                            event.bytes, event.total_allocated, event.total_reserved});
  });
  return table;
}

/// On the CPU nothing is reserved: LibTorch's allocator keeps nothing, and ours does not say.
Table host_memory_curve(const Scope& scope) {
  Table table{"memory of tensors on the CPU", {"time_us", "change", "allocated"}, {}};
  scope.each(scope.model().memory, [&](const MemoryEvent& event) {
    if (event.device_type != kCuda)
      table.rows.push_back(
          {Nanoseconds{event.time - scope.model().origin}, event.bytes, event.total_allocated});
  });
  return table;
}

/// Of a step: all idle time from its mark to the next, also before the GPU's first op.
void add_steps(Report& report, const Scope& scope) {
  const TraceModel& model = scope.model();
  if (model.calls.empty()) {
    report.metrics.push_back(
        scope.no_data("alloc.steady_from", "step", "no API calls", kNeedsSteps));
    return;
  }
  Table table{"by step", {"step", "calls", "stall_cpu_us", "device", "stall_gpu_us"}, {}};
  const std::vector<const ModelStep*> steps = scope.steps_or_all();
  std::vector<int64_t> calls_of;
  for (const ModelStep* step : steps) {
    const Interval window{step->time.begin, step->mark_end};
    const IntervalSet stalls = scope.file().allocator_time().within(window);
    Calls calls;
    for (const ApiCall& call : rows_in(model.calls, window)) count(calls, call);
    calls_of.push_back(calls.all());
    for (const int64_t device : scope.devices())
      table.rows.push_back({step->name, calls.all(), Nanoseconds{stalls.length()}, device,
                            Nanoseconds{(stalls - scope.file().busy(device)).length()}});
  }
  Value steady;
  for (std::size_t i = calls_of.size(); i-- > 0 && calls_of[i] == 0;)
    if (i + 1 < calls_of.size()) steady = steps[i]->number;
  report.metrics.push_back(
      scope.metric("alloc.steady_from", steady, "step", calls_of.size(), kNeedsSteps));
  if (steady.is_nothing() && report.metrics.back().reason == "no data")
    report.metrics.back().reason = "no two steps in a row without a call";
  if (!table.rows.empty()) report.tables.push_back(std::move(table));
}

}  // namespace

Report alloc(const Scope& scope) {
  const TraceModel& model = scope.model();
  Report report;
  report.title = "allocator of " + model.path;
  const auto n = static_cast<uint64_t>(model.calls.size());
  const auto add = [&](const char* name, Value value, const char* unit) {
    report.metrics.push_back(scope.metric(name, std::move(value), unit, n));
    if (n == 0) report.metrics.back().reason = "no API calls";
  };
  const IntervalSet stalls = in_scope(scope, scope.file().allocator_time());
  const Calls calls = count_calls(scope);
  add("alloc.calls", calls.all(), "calls");
  add("alloc.device_calls", calls.device, "calls");
  add("alloc.free_calls", calls.freed, "calls");
  add("alloc.host_calls", calls.host, "calls");
  add("alloc.stall_cpu", Nanoseconds{stalls.length()}, "us");
  for (const int64_t device : scope.devices()) {
    const std::vector<const GpuOp*> ops = scope.gpu_ops(device);
    const IntervalSet idle = IntervalSet({span_of(ops)}) - time_of(ops);
    report.metrics.push_back(
        n == 0 ? scope.no_data("alloc.stall_gpu", "us", "no API calls", kNeedsGpu)
               : scope.metric("alloc.stall_gpu", Nanoseconds{(stalls & idle).length()}, "us",
                              ops.size(), kNeedsGpu));
    report.metrics.back().device = device;
  }
  if (scope.devices().empty())
    report.metrics.push_back(scope.metric("alloc.stall_gpu", {}, "us", 0, kNeedsGpu));
  if (!model.syncs.empty()) add("alloc.free_sync", Nanoseconds{sync_in_frees(scope)}, "us");
  add("alloc.retries", count_retries(scope), "times");
  add_cached_memory(report, scope, calls);
  add_steps(report, scope);
  if (scope.selection().with_curves) {
    report.tables.push_back(memory_curve(scope));
    report.tables.push_back(host_memory_curve(scope));
  }
  return report;
}

}  // namespace notape::trace
