// What memory management costs: the driver's calls, and the caching allocator above it.
#include <fmt/format.h>

#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/report/curve.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr int64_t kCudaMemory = 1;  // as a Device Type

bool is_shown_memory(const Facts& facts, const MemoryEvent& event) {
  return event.device_type == kCudaMemory && (!facts.device() || event.device == *facts.device()) &&
         facts.whole().has_host_time(event.time);
}
bool is_host_memory(const MemoryEvent& event) { return event.device_type != kCudaMemory; }

void add_driver_calls(Section& section, const Facts& facts, const Report& report) {
  section.add(report,
              {{"alloc.calls", "calls of the driver for memory", "that make, free or map some"}});
  if (report["alloc.calls"].value.count() == 0) {
    section.findings.back().tone = Tone::Good;
    return;
  }
  section.add(report, {{"alloc.stall_cpu", "time in them", "of the host"}});
  if (report["alloc.stall_cpu"].value.ns() > facts.window().length() / 20)
    section.findings.back().tone = Tone::Warning;
  section.add(report,
              {{"alloc.stall_gpu", "device idle meanwhile", ""},
               {"alloc.steady_from", "first step without them", "and none after it has one"}});
  if (report["alloc.steady_from"].value.is_nothing() && facts.all_steps().size() > 2)
    section.say(Tone::Warning, "The calls go on to the end: the last two steps have some.");
  if (report["alloc.retries"].value.count() == 0) return;
  section.add(report, {{"alloc.retries", "times that memory ran out",
                        "cached blocks were freed and the allocation tried again"}});
  section.findings.back().tone = Tone::Bad;
}

/// A unit in which the axis has round ticks.
std::pair<double, const char*> memory_unit(double most) {
  if (most >= 0x1p30) return {0x1p30, "GiB"};
  if (most >= 0x1p20) return {0x1p20, "MiB"};
  if (most >= 0x1p10) return {0x1p10, "KiB"};
  return {1, "bytes"};
}

/// The events of which there are some; nothing is reserved on the CPU.
template <typename IsShown>
Figure memory_figure(const Facts& facts, Figure figure, IsShown is_shown) {
  std::vector<Change> allocated, reserved;
  double most = 1;
  for (const MemoryEvent& event : facts.model().memory) {
    if (!is_shown(event)) continue;
    allocated.push_back({event.time, static_cast<double>(event.total_allocated)});
    reserved.push_back({event.time, static_cast<double>(event.total_reserved)});
    most = std::max({most, allocated.back().value, reserved.back().value});
  }
  const Interval window{allocated.front().time, allocated.back().time + 1};
  const Interval all = facts.window();
  // The whole file, unless the events are a small part of it.
  const Interval shown = window.length() > all.length() / 10 ? all : window;
  const auto [bytes, unit] = memory_unit(most);
  for (std::vector<Change>* changes : {&allocated, &reserved})
    for (Change& change : *changes) change.value /= bytes;
  const auto highest = [&](const std::vector<Change>& changes) {
    return merged_to_pixels(changes, shown, changes.front().value).highest;
  };
  const Axis across(0, static_cast<double>(shown.length()), kChartLeft, kChartRight);
  figure.doubt = facts.whole().doubts(kNeedsMemory);
  figure.svg = curve_chart_svg(
      figure.title, {highest(allocated), highest(allocated)},
      [unit = unit](double value) { return fmt::format("{:g} {}", value, unit); },
      time_axis_svg(across, kCurveTop, kCurveBottom), {},
      figure.legend.size() < 2 ? std::vector<double>() : highest(reserved));
  return figure;
}

void add_device_memory(Section& section, const Facts& facts, const Report& report) {
  section.add(report, {{"alloc.device_allocations", "requests to the caching allocator", ""},
                       {"alloc.hit_rate", "answered without the driver", "share of the requests",
                        Look::Share},
                       {"alloc.allocated_peak", "most in use", "at once", Look::Bytes},
                       {"alloc.reserved_peak", "most reserved", "at once", Look::Bytes}});
  section.figures.push_back(
      memory_figure(facts,
                    {.id = "fig-memory",
                     .title = "Memory of the caching allocator",
                     .definition = "def-memory",
                     .legend = {{"call", "allocated"}, {"setup", "reserved"}}},
                    [&](const MemoryEvent& event) { return is_shown_memory(facts, event); }));
  section.definitions.push_back(
      {"def-memory", "Memory of the caching allocator",
       "The totals that the allocator's own events carry, on the page's device; of each pixel's "
       "time the highest. Reserved memory is what the driver gave; allocated is what tensors use "
       "of it. A hit is an allocation for which the driver was not called."});
}

void add_host_memory(Section& section, const Facts& facts, const Report& report) {
  section.add(report, {{"alloc.host_bytes", "taken by tensors on the CPU", "in all", Look::Bytes},
                       {"alloc.host_allocated_peak", "most in use", "at once", Look::Bytes}});
  section.figures.push_back(memory_figure(facts,
                                          {.id = "fig-host-memory",
                                           .title = "Memory of tensors on the CPU",
                                           .definition = "def-host-memory",
                                           .legend = {{"call", "allocated"}}},
                                          is_host_memory));
  section.definitions.push_back(
      {"def-host-memory", "Memory of tensors on the CPU",
       "The totals that the [memory] events of the CPU carry; of each pixel's time the highest. "
       "What was allocated before the recording is not in them."});
}

}  // namespace

Section allocator_section(const Facts& facts) {
  const TraceModel& model = facts.model();
  Section section{.id = "allocator", .question = "What does memory management cost?"};
  const bool has_curve =
      std::any_of(model.memory.begin(), model.memory.end(),
                  [&](const MemoryEvent& event) { return is_shown_memory(facts, event); });
  const bool has_host_curve = std::any_of(model.memory.begin(), model.memory.end(), is_host_memory);
  if (model.calls.empty() && !has_curve && !has_host_curve) {
    section.say(Tone::Plain, "The file has neither API calls nor events of the allocator.");
    return section;
  }
  const Report report = alloc(facts.whole());
  if (!model.calls.empty()) add_driver_calls(section, facts, report);
  if (has_curve)
    add_device_memory(section, facts, report);
  else if (has_host_curve)
    add_host_memory(section, facts, report);
  if (model.calls.empty() || report["alloc.calls"].value.count() == 0) return section;
  section.add(call_table(facts,
                         {.id = "tab-allocator",
                          .title = "Calls of the driver's memory management",
                          .definition = "def-allocator"},
                         [](const ApiCall& call) { return is_allocator_call(call.kind); }));
  section.add(table_of(
      {.id = "tab-allocator-steps", .title = "The same by step", .definition = "def-allocator"},
      report.find_table("by step"),
      {{"step", 0},
       {"calls", 1},
       {"host stalled", 2, Look::Bar},
       {"device idle meanwhile", 4, Look::Bar}},
      [&](const std::vector<Value>& row) { return facts.shows(row[0].text()); }));
  section.definitions.push_back(
      {"def-allocator", "Calls of the driver's memory management",
       "Calls that make, free, or map memory: cudaMalloc, cudaFree, cudaHostAlloc and their "
       "relatives. The host is stalled while it is in one. The device's idle time meanwhile is "
       "that in which it ran nothing. By step: from its mark to the next."});
  return section;
}

}  // namespace notape::trace
