// What memory management costs: the driver's calls, and the caching allocator above it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

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

void say_driver_calls(Section& section, const Facts& facts, const Report& report) {
  const int64_t calls = report["alloc.calls"].value.count();
  if (calls == 0) {
    section.say(Tone::Good, facts.is_of_steps()
                                ? "The program did not ask the driver for memory in these steps."
                                : "The program never asked the driver for memory while it was "
                                  "recorded.");
    return;
  }
  const int64_t stall = report["alloc.stall_cpu"].value.ns();
  std::string text = fmt::format("{} of the driver's memory management took {} of the host's time",
                                 count_words(calls, "call"), time_words(stall));
  const Metric& gpu = report["alloc.stall_gpu"];
  if (!gpu.value.is_nothing())
    text += fmt::format("; during {} of that the device did nothing", time_words(gpu.value.ns()));
  const bool is_much = stall > facts.window().length() / 20;
  section.say(is_much ? Tone::Warning : Tone::Plain,
              text + (gpu.value.is_nothing() ? "" : doubt_words(gpu.reason)) + ".");
  const Metric& steady = report["alloc.steady_from"];
  if (!steady.value.is_nothing())
    section.say(Tone::Good, fmt::format("From step {} on no step asks the driver for memory any "
                                        "more{}.",
                                        steady.value.count(), doubt_words(steady.reason)));
  else if (facts.all_steps().size() > 2)
    section.say(Tone::Warning, "The calls go on to the end: the last two steps have some.");
  if (const int64_t retries = report["alloc.retries"].value.count(); retries > 0)
    section.say(Tone::Bad, fmt::format("Memory ran out {}: cached blocks were freed and the "
                                       "allocation tried again.",
                                       retries == 1 ? "once" : count_words(retries, "time")));
}

/// Of traces without API calls nobody knows which requests went to the driver.
void say_cache(Section& section, const Report& report) {
  const Metric& hits = report["alloc.hit_rate"];
  const Metric& peak = report["alloc.allocated_peak"];
  const std::string requests =
      count_words(report["alloc.device_allocations"].value.count(), "request");
  std::string text = "The caching allocator answered " + requests;
  if (!hits.value.is_nothing())
    text = fmt::format("The caching allocator answered {} {} without the driver",
                       hits.value.number() == 1 ? "all" : share_words(hits.value.number()) + " of",
                       requests);
  if (!peak.value.is_nothing())
    text += fmt::format("; at most {} were in use and {} reserved", bytes_words(peak.value.count()),
                        bytes_words(report["alloc.reserved_peak"].value.count()));
  section.say(Tone::Plain, text + doubt_words(hits.value.is_nothing() ? "" : hits.reason) + ".");
}

FigureTable call_table(const Facts& facts) {
  const TraceModel& model = facts.model();
  struct Calls {
    int64_t count = 0, ns = 0, longest = 0;
  };
  std::map<std::string_view, Calls> by_name;
  facts.whole().each(model.calls, [&](const ApiCall& call) {
    if (!is_allocator_call(call.kind)) return;
    Calls& calls = by_name[model.name(call.name)];
    ++calls.count;
    calls.ns += call.time.length();
    calls.longest = std::max(calls.longest, call.time.length());
  });
  std::vector<std::pair<std::string_view, Calls>> order(by_name.begin(), by_name.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  FigureTable table{.id = "tab-allocator",
                    .title = "Calls of the driver's memory management",
                    .definition = "def-allocator",
                    .columns = {"call", "count", "time", "longest"}};
  const double most =
      order.empty() ? 1 : std::max<double>(1, static_cast<double>(order.front().second.ns));
  for (const auto& [name, calls] : order)
    table.rows.push_back({name_cell(name), number_cell(count_words(calls.count)),
                          number_cell(time_words(calls.ns), static_cast<double>(calls.ns) / most),
                          number_cell(time_words(calls.longest))});
  if (table.rows.size() > 12) table.rows.resize(12);
  return table;
}

FigureTable step_calls_table(const Facts& facts, const Report& report) {
  FigureTable table{.id = "tab-allocator-steps",
                    .title = "The same by step",
                    .definition = "def-allocator",
                    .columns = {"step", "calls", "host stalled", "device idle meanwhile"}};
  const auto by_step = std::find_if(report.tables.begin(), report.tables.end(),
                                    [](const Table& one) { return one.name == "by step"; });
  if (by_step == report.tables.end()) return table;
  int64_t most = 1;
  for (const std::vector<Value>& row : by_step->rows) most = std::max(most, row[2].ns());
  for (const std::vector<Value>& row : by_step->rows) {
    if (!facts.shows(row[0].text())) continue;
    const auto share = [&](const Value& time) {
      return static_cast<double>(time.ns()) / static_cast<double>(most);
    };
    table.rows.push_back({name_cell(row[0].text()), number_cell(count_words(row[1].count())),
                          number_cell(time_words(row[2].ns()), share(row[2])),
                          number_cell(time_words(row[4].ns()), share(row[4]))});
  }
  return table;
}

/// A unit in which the axis has round ticks.
struct MemoryUnit {
  double bytes;
  std::string (*words)(double);
};

MemoryUnit memory_unit(double most) {
  if (most >= 0x1p30) return {0x1p30, [](double value) { return fmt::format("{:g} GiB", value); }};
  if (most >= 0x1p20) return {0x1p20, [](double value) { return fmt::format("{:g} MiB", value); }};
  if (most >= 0x1p10) return {0x1p10, [](double value) { return fmt::format("{:g} KiB", value); }};
  return {1, [](double value) { return fmt::format("{:g} bytes", value); }};
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
  constexpr double kTop = 14, kBottom = 200;
  const MemoryUnit unit = memory_unit(most);
  for (std::vector<Change>* changes : {&allocated, &reserved})
    for (Change& change : *changes) change.value /= unit.bytes;
  const Axis vertical(0, most / unit.bytes * 1.08, kBottom, kTop);
  const Axis horizontal(0, static_cast<double>(shown.length()), kChartLeft, kChartRight);
  const auto columns = static_cast<std::size_t>(kChartRight - kChartLeft);
  const auto highest = [&](const std::vector<Change>& changes) {
    return merged_to_pixels(changes, shown, columns, changes.front().value).highest;
  };
  figure.svg = svg_element(kBottom + 24, figure.title,
                           time_axis_svg(horizontal, kTop, kBottom) +
                               value_axis_svg(vertical, kChartLeft, kChartRight, unit.words) +
                               curve_svg(highest(allocated), vertical, "area", true) +
                               curve_svg(highest(allocated), vertical, "curve", false) +
                               (figure.legend.size() < 2 ? ""
                                                         : curve_svg(highest(reserved), vertical,
                                                                     "curve second", false)));
  return figure;
}

void add_device_memory(Section& section, const Facts& facts, const Report& report) {
  say_cache(section, report);
  section.figures.push_back(
      memory_figure(facts,
                    {.id = "fig-memory",
                     .title = "Memory of the caching allocator",
                     .definition = "def-memory",
                     .doubt = facts.whole().doubts(kNeedsMemory),
                     .legend = {{"call", "allocated"}, {"setup", "reserved"}}},
                    [&](const MemoryEvent& event) { return is_shown_memory(facts, event); }));
  section.definitions.push_back(
      {"def-memory", "Memory of the caching allocator",
       "The totals that the allocator's own events carry, on the page's device; of each pixel's "
       "time the highest. Reserved memory is what the driver gave; allocated is what tensors use "
       "of it. A hit is an allocation for which the driver was not called."});
}

void add_host_memory(Section& section, const Facts& facts, const Report& report) {
  section.say(Tone::Plain,
              fmt::format("Tensors on the CPU took {} in all; at most {} were in use at once{}.",
                          bytes_words(report["alloc.host_bytes"].value.count()),
                          bytes_words(report["alloc.host_allocated_peak"].value.count()),
                          doubt_words(report["alloc.host_bytes"].reason)));
  section.figures.push_back(memory_figure(facts,
                                          {.id = "fig-host-memory",
                                           .title = "Memory of tensors on the CPU",
                                           .definition = "def-host-memory",
                                           .doubt = facts.whole().doubts(kNeedsMemory),
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
  if (!model.calls.empty()) say_driver_calls(section, facts, report);
  if (has_curve)
    add_device_memory(section, facts, report);
  else if (has_host_curve)
    add_host_memory(section, facts, report);
  if (!model.calls.empty() && report["alloc.calls"].value.count() > 0) {
    section.tables.push_back(call_table(facts));
    FigureTable steps = step_calls_table(facts, report);
    if (!steps.rows.empty()) section.tables.push_back(std::move(steps));
    section.definitions.push_back(
        {"def-allocator", "Calls of the driver's memory management",
         "Calls that make, free, or map memory: cudaMalloc, cudaFree, cudaHostAlloc and their "
         "relatives. The host is stalled while it is in one. The device's idle time meanwhile is "
         "that in which it ran nothing. By step: from its mark to the next."});
  }
  return section;
}

}  // namespace notape::trace
