// Where does a step's time go: the device busy, or idle and why; the host in operators, calls and
// waits; both at the same time.
#include <fmt/format.h>

#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/analysis/gaps.h"
#include "trace/report/chart.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

/// A kind of idle time of the device, in the class of its colour.
struct IdleKind {
  const char *metric, *classes, *label;
};
constexpr IdleKind kIdleKinds[] = {
    {"idle.host_wait.allocator", "allocator", "host in an allocator call"},
    {"idle.host_wait.blocking_sync", "sync", "host waits for the device"},
    {"idle.host_wait.other_api", "call", "host in a launch or other call"},
    {"idle.host_wait.data_loading", "loading", "host loads data"},
    {"idle.host_wait.op_self", "op", "host in an operator"},
    {"idle.host_wait.user_code", "outside", "host outside operators"},
    {"idle.launch_latency", "latency", "launch latency"},
    {"idle.kernel_wait", "between", "between kernels"},
    {"idle.dependency", "dependency", "waits for another stream"},
    {"idle.unlinked", "unlinked", "no launch record"},
};

/// Of one step, or of all that the page is about.
struct StepTime {
  std::string name;  ///< empty: all
  Report idle, overlap;
  std::vector<CallTime> calls;  ///< that the host was in while the device waited

  int64_t ns(const char* metric) const {
    const Metric* found = idle.find(metric);
    return found && !found->value.is_nothing() ? found->value.ns() : 0;
  }
  int64_t window() const { return ns("idle.window"); }
  std::string share(const char* metric) const { return share_words(ns(metric), window()); }
  Cell label() const { return name.empty() ? text_cell("all") : name_cell(name); }
};

StepTime step_time_of(const Scope& scope, std::string name) {
  StepTime step{std::move(name), idle(scope), overlap(scope), {}};
  if (!scope.devices().empty())
    step.calls =
        calls_during(scope, host_waits(scope.model(), scope.gpu_ops(scope.devices().front())));
  return step;
}

/// What the host did most while the device waited for it: "42 % in `cudaFree`, ...".
Sentence main_wait(const StepTime& step) {
  constexpr IdleKind kOutsideCalls[] = {{"idle.host_wait.data_loading", "", " loading data"},
                                        {"idle.host_wait.op_self", "", " in operators themselves"},
                                        {"idle.host_wait.user_code", "", " outside operators"}};
  const int64_t all = step.ns("idle.host_wait");
  int64_t most = step.calls.empty() ? 0 : step.calls.front().ns;
  Sentence text;
  if (most > 0) {
    const CallTime& call = step.calls.front();
    (text << share_words(most, all) + " in ").name(call.name);
    if (call.first_use_ns * 2 > call.ns)
      text << fmt::format(", {} of it first use (module loading, inferred)",
                          share_words(call.first_use_ns, call.ns));
  }
  for (const IdleKind& kind : kOutsideCalls)
    if (const int64_t ns = step.ns(kind.metric); ns > most) {
      most = ns;
      text = share_words(ns, all) + kind.label;
    }
  return text;
}

void add_device_time(Section& section, const StepTime& all) {
  section.add(all.idle,
              {{"idle.busy_share", "device busy",
                "share of the time between the device's first and last operation", Look::Share},
               {"idle.window", "device time", "between its first and its last operation"},
               {"idle.host_wait", "waited for the host",
                "until the launch call of the next operation had returned"},
               {"idle.launch_latency", "launch latency",
                "from the return of a launch call to the start of what it launched"},
               {"idle.kernel_wait", "idle between kernels", "the next one had been launched"},
               {"idle.dependency", "waited for something else",
                "for another stream, a copy, or another program, with work launched"},
               {"idle.unlinked", "idle without a known cause",
                "before operations whose launch is not in the file"}});
  if (section.findings.empty()) return;
  const int64_t window = all.window(), busy = all.ns("idle.busy");
  section.findings.front().tone = window - busy <= window / 10 ? Tone::Good
                                  : window - busy <= busy      ? Tone::Warning
                                                               : Tone::Bad;
  section.add(all.overlap,
              {{"overlap.f_gpu", "device work beside host work",
                "share of the device's work during which the host worked", Look::Share},
               {"overlap.f_cpu", "host work beside device work",
                "share of the host's work that the device's hides", Look::Share}});
}

/// What the busiest thread did, as shares of the time shown.
FigureTable host_table(const Facts& facts) {
  const HostRow& row = facts.host_rows().front();
  const int64_t all = facts.window().length();
  FigureTable table{
      .id = "tab-host",
      .title = fmt::format("What {} did, the busiest host thread{}", facts.thread_label(row.thread),
                           row.launches ? " that launches" : ""),
      .definition = "def-timeline",
      .columns = {"state", "time", "share"}};
  const auto add = [&](const char* state, int64_t ns) {
    if (ns > 0)
      table.rows.push_back(
          {text_cell(state), number_cell(time_words(ns)),
           number_cell(share_words(ns, all), static_cast<double>(ns) / static_cast<double>(all))});
  };
  for (std::size_t i = 0; i < kHostStates; ++i)
    add(state_label(static_cast<HostState>(i)), row.states[i].length_within(facts.window()));
  add("outside operators and calls", all - row.busy_ns);
  return table;
}

Figure device_bars(const std::vector<StepTime>& steps) {
  Figure figure{.id = "fig-device-time",
                .title = "Shares of the device's time by step: busy, and idle by cause",
                .definition = "def-idle",
                .doubt = steps.front().idle["idle.host_wait"].reason};
  std::vector<BarRow> rows;
  for (const StepTime& step : steps) {
    BarRow row{step.name.empty() ? "whole file" : step.name, {}, time_words(step.window())};
    const auto add = [&](const char* classes, const char* label, int64_t ns) {
      const double share = static_cast<double>(ns) / static_cast<double>(step.window());
      row.parts.push_back({classes, share, fmt::format("{}: {}", label, time_words(ns))});
      if (share > 0.002) figure.explain(classes, label);
    };
    add("kernel", "busy", step.ns("idle.busy"));
    for (const IdleKind& kind : kIdleKinds) add(kind.classes, kind.label, step.ns(kind.metric));
    rows.push_back(std::move(row));
  }
  constexpr double kTimeWidth = 80;  // beside each bar
  figure.svg = bar_chart_svg(figure.title, rows, Axis(0, 1, kChartLeft, kChartRight - kTimeWidth),
                             [](double share) { return fmt::format("{:.0f} %", 100 * share); });
  return figure;
}

FigureTable step_table(const std::vector<StepTime>& steps) {
  FigureTable table{
      .id = "tab-steps",
      .title = "Overlap and waits by step",
      .definition = "def-overlap",
      .columns = {"step", "device time", "busy", "waits for host", "host meanwhile, mostly",
                  "device work beside host work", "host work beside device work"}};
  for (const StepTime& step : steps) {
    const auto percent = [&](const char* metric) {
      const Metric* found = step.overlap.find(metric);
      if (!found || found->value.is_nothing()) return number_cell("-");
      return number_cell(value_words(found->value, Look::Share), found->value.number());
    };
    table.rows.push_back({step.label(), number_cell(time_words(step.window())),
                          number_cell(step.share("idle.busy")),
                          number_cell(step.share("idle.host_wait")), text_cell(main_wait(step)),
                          percent("overlap.f_gpu"), percent("overlap.f_cpu")});
  }
  return table;
}

/// "host wait: op self"; where the host was in a call, its name: "host wait: in `cudaFree`".
Cell gap_cause(const std::vector<Value>& gap) {
  std::string kind = gap[2].text(), doing = gap[3].is_nothing() ? "" : gap[3].text();
  const bool is_in_call = doing == "other_api" || doing == "allocator" || doing == "blocking_sync";
  std::replace(kind.begin(), kind.end(), '_', ' ');
  std::replace(doing.begin(), doing.end(), '_', ' ');
  Sentence text(kind);
  if (is_in_call && !gap[7].is_nothing()) {
    (text << ": in ").name(gap[7].text());
    if (!gap[9].is_nothing()) text << ", first use (module loading, inferred)";
  } else if (!doing.empty()) {
    text << ": " + doing;
  }
  return text_cell(std::move(text));
}

/// Where the device waited longest, and for what.
FigureTable gap_table(const Facts& facts, const Table& gaps) {
  FigureTable table = table_of(
      {.id = "tab-gaps",
       .title = "The longest times in which the device did nothing",
       .definition = "def-idle",
       .doubt = facts.whole().doubts(kNeedsGpu | kNeedsLinks)},
      &gaps,
      {{"at", 0}, {"length", 1, Look::Bar}, {"ended by a launch in", 4}, {"what ran then", 6}});
  if (table.rows.empty()) return table;  // nor has it columns then
  table.columns.insert(table.columns.begin() + 2, "cause");
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].insert(table.rows[i].begin() + 2, gap_cause(gaps.rows[i]));
  return table;
}

/// Of the whole file, or of the small part of it in which there is anything.
Figure whole_timeline(const Facts& facts) {
  const Interval all = facts.window(), active = facts.active_time();
  const bool shows_all = active.length() >= all.length() / 10;
  std::string title = facts.is_of_steps() ? "The selected steps" : "The whole file";
  if (!shows_all)
    title = fmt::format("The {} of the {} in which there is anything", time_words(active.length()),
                        time_words(all.length()));
  title += facts.device() ? ", host above device" : ", host threads";
  if (const auto more = static_cast<int64_t>(facts.left_out_threads()))
    title += fmt::format("; not drawn: {}", count_words(more, "more host thread"));
  return timeline_figure(facts, shows_all ? all : active, "fig-timeline", std::move(title));
}

}  // namespace

Section step_time_section(const Facts& facts) {
  Section section{.id = "time", .question = "Where does a step's time go?"};
  if (!facts.device() && facts.host_rows().empty()) {
    section.say(Tone::Plain, "The file has neither operators nor device rows.");
    return section;
  }
  std::vector<StepTime> steps;
  if (facts.device()) {
    const StepTime all = step_time_of(facts.whole(), "");
    add_device_time(section, all);
    for (const ModelStep* step : facts.steps())
      steps.push_back(step_time_of(facts.scope_of(*step), step->name));
    std::erase_if(steps, [](const StepTime& step) { return step.window() == 0; });
    if (steps.empty() && all.window() > 0) steps.push_back(all);
  }
  if (section.findings.empty())
    section.say(Tone::Plain, facts.device() ? "The device's operations take no time in this file."
                                            : "The file has no device rows.");
  if (!facts.chosen_words().empty()) section.say(Tone::Plain, facts.chosen_words());
  section.figures.push_back(whole_timeline(facts));
  if (const ModelStep* step = facts.typical_step(); step && facts.all_steps().size() > 1)
    section.figures.push_back(
        timeline_figure(facts, span_of_step(*step), "fig-step-timeline",
                        "A step of median length: " + short_name(step->name, 40)));
  section.definitions.push_back(
      {"def-timeline", "Timelines",
       "Each pixel's column is filled by the share of its time that each state has, on a thread or "
       "on the device with all its streams together; what is shorter than a pixel is at least a "
       "pixel high. A thread's states do not overlap: of several the first in the legend counts."});
  if (!facts.host_rows().empty()) section.add(host_table(facts));
  if (steps.empty()) return section;
  section.figures.push_back(device_bars(steps));
  section.add(step_table(steps));
  section.add(gap_table(facts, idle(facts.whole()).table("largest gaps")));
  section.definitions.push_back(
      {"def-idle", "Idle time by cause",
       "A step owns the device operations that are launched in it; its device time runs from "
       "the first one's start to the last one's end. A gap counts as the host's until the launch "
       "call of the operation that ends it has returned, split by what the launching thread did "
       "then; the rest of such a gap is launch latency. If the call had returned before the gap "
       "began, a gap shorter than 30 us lies between kernels and a longer one is a dependency. "
       "The parts sum to the device's time exactly."});
  section.definitions.push_back(
      {"def-overlap", "Overlap",
       "Host work is the time in operators and API calls on threads that launch, without waits "
       "for the device and without launch calls that a full queue blocks. The share of device "
       "work beside host work is low where the host is far ahead and waits, which is no fault."});
  return section;
}

}  // namespace notape::trace
