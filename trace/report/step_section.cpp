// Where does a step's time go: the device busy, or idle and why; the host in operators, calls and
// waits; both at the same time.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/interchange/svg.h"
#include "trace/analysis/analyses.h"
#include "trace/report/chart.h"
#include "trace/report/sections.h"
#include "trace/report/step_time.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr double kStepBar = 18, kStepRow = 27;

/// At least a twentieth: less is not worth a sentence. Divided, since a file of clocks that are
/// years apart has windows of which no multiple fits.
bool is_much(int64_t part, int64_t whole) { return part > 0 && part > (whole - 1) / 20; }

void say_device_time(Section& section, const StepTime& whole) {
  if (whole.window == 0) {
    section.say(Tone::Plain, "The device's operations take no time in this file.");
    return;
  }
  const int64_t idle = whole.window - whole.busy;
  const Tone tone = idle <= whole.window / 10 ? Tone::Good
                    : idle <= whole.busy      ? Tone::Warning
                                              : Tone::Bad;
  section.say(tone, fmt::format("The device was busy {} of the {} between its first and its last "
                                "operation.",
                                share_words(whole.busy, whole.window), time_words(whole.window)));
}

double share_of(const StepTime& step, int64_t ns) {
  return static_cast<double>(ns) / static_cast<double>(std::max<int64_t>(1, step.window));
}

void say_waits_for_host(Section& section, const std::vector<StepTime>& steps) {
  const auto worst =
      std::max_element(steps.begin(), steps.end(), [](const StepTime& a, const StepTime& b) {
        return share_of(a, a.host_wait) < share_of(b, b.host_wait);
      });
  if (worst == steps.end()) return;
  if (is_much(worst->host_wait, worst->window)) {
    Sentence text = host_wait_words(*worst);
    text << doubt_words(worst->doubt) + ".";
    section.say(Tone::Warning, std::move(text));
  } else {
    section.say(Tone::Good, steps.size() > 1
                                ? "In no step did the device wait a twentieth of its time "
                                  "for the host."
                                : "The device hardly waited for the host: under a twentieth of its "
                                  "time.");
  }
}

/// Of each kind of idle time that is not the host's, the step in which it is most.
void say_other_waits(Section& section, const std::vector<StepTime>& steps) {
  constexpr std::pair<std::string_view, const char*> kKinds[] = {
      {"latency", "between the return of a launch call and the start of what it launched"},
      {"between", "between one operation and the next, which had been launched"},
      {"dependency",
       "although work was launched: it waited for another stream, a copy, or another program"},
      {"unlinked", "before operations whose launch is not in the file"}};
  for (const auto& [kind, words] : kKinds) {
    const StepTime* worst = nullptr;
    int64_t most = 0;
    for (const StepTime& step : steps)
      for (const IdlePart& part : step.idle)
        if (part.classes == kind && (!worst || share_of(step, part.ns) > share_of(*worst, most))) {
          worst = &step;
          most = part.ns;
        }
    if (!worst || !is_much(most, worst->window)) continue;
    Sentence text;
    if (worst->name.empty())
      text << "The device";
    else
      (text << "In ").name(worst->name) << " the device";
    text << fmt::format(" was idle {} of its time {}{}.", share_words(most, worst->window), words,
                        doubt_words(worst->doubt));
    section.say(Tone::Warning, std::move(text));
  }
}

void say_overlap(Section& section, const StepTime& whole) {
  if (whole.f_gpu.is_nothing() || whole.f_cpu.is_nothing()) return;
  section.say(Tone::Plain,
              fmt::format("During {} of the device's work the host did useful work; {} of the "
                          "host's work was hidden behind the device's.",
                          share_words(whole.f_gpu.number()), share_words(whole.f_cpu.number())));
}

/// What the busiest thread did, as shares of the file's time.
void say_host_time(Section& section, const Facts& facts) {
  if (facts.host_rows().empty()) return;
  const HostRow& row = facts.host_rows().front();
  const Interval window = facts.window();
  const int64_t all = window.length();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kHostStates; ++i) {
    const int64_t ns = row.states[i].length_within(window);
    if (is_much(ns, all))
      parts.push_back(
          fmt::format("{} {}", state_label(static_cast<HostState>(i)), share_words(ns, all)));
  }
  if (is_much(all - row.busy_ns, all))
    parts.push_back("outside operators and calls " + share_words(all - row.busy_ns, all));
  Sentence text("The host's ");
  text.name(facts.thread_label(row.thread)) << fmt::format(
      ", {}, spent the {} of the {} so: {}.",
      row.launches ? "the busiest that launches" : "the busiest", time_words(all),
      facts.is_of_steps() ? "selected steps" : "file", fmt::format("{}", fmt::join(parts, ", ")));
  section.say(Tone::Plain, std::move(text));
}

Figure device_bars(const std::vector<StepTime>& steps) {
  Figure figure{.id = "fig-device-time",
                .title = "Shares of the device's time by step: busy, and idle by cause",
                .definition = "def-idle"};
  constexpr double kTimeWidth = 80;  // beside each bar
  const Axis axis(0, 1, kChartLeft, kChartRight - kTimeWidth);
  const double bottom = 8 + kStepRow * static_cast<double>(steps.size());
  std::string elements;
  for (const double share : axis.ticks(5)) {
    const double x = axis.at(share);
    elements += interchange::svg_line(x, 2, x, bottom + 4, "grid");
    elements +=
        interchange::svg_text(x, bottom + 17, "middle", fmt::format("{:.0f} %", 100 * share));
  }
  const auto legend = [&](const char* classes, const char* label) {
    const bool is_there =
        std::any_of(figure.legend.begin(), figure.legend.end(),
                    [&](const LegendEntry& entry) { return entry.classes == classes; });
    if (!is_there) figure.legend.push_back({classes, label});
  };
  double top = 8;
  for (const StepTime& step : steps) {
    const auto share = [&](int64_t ns) {
      return static_cast<double>(ns) / static_cast<double>(step.window);
    };
    std::vector<BarPart> parts{{"kernel", share(step.busy), "busy: " + time_words(step.busy)}};
    legend("kernel", "busy");
    for (const IdlePart& part : step.idle) {
      if (part.ns == 0) continue;
      parts.push_back(
          {part.classes, share(part.ns), fmt::format("{}: {}", part.label, time_words(part.ns))});
      if (share(part.ns) > 0.002) legend(part.classes, part.label);
    }
    elements +=
        row_label_svg(top + kStepBar / 2, step.name.empty() ? "whole file" : step.name) +
        stacked_bar_svg(parts, axis, top, kStepBar) +
        interchange::svg_text(kChartRight - kTimeWidth + 10, top + 13, "", time_words(step.window));
    top += kStepRow;
    if (figure.doubt.empty()) figure.doubt = step.doubt;
  }
  figure.svg = svg_element(bottom + 24, figure.title, elements);
  return figure;
}

FigureTable step_table(const std::vector<StepTime>& steps) {
  FigureTable table{.id = "tab-steps",
                    .title = "Overlap and waits by step",
                    .definition = "def-overlap",
                    .columns = {"step", "device time", "busy", "waits for host",
                                "device work beside host work", "host work beside device work"}};
  const auto percent = [](const Value& share) {
    return share.is_nothing() ? number_cell("-")
                              : number_cell(share_words(share.number()), share.number());
  };
  for (const StepTime& step : steps) {
    if (step.window == 0) continue;
    table.rows.push_back({step.name.empty() ? text_cell("whole file") : name_cell(step.name),
                          number_cell(time_words(step.window)),
                          number_cell(share_words(step.busy, step.window)),
                          number_cell(share_words(step.host_wait, step.window)),
                          percent(step.f_gpu), percent(step.f_cpu)});
  }
  return table;
}

/// "host wait: op self"; where the host was in a call, its name: "host wait: in `cudaFree`".
Sentence gap_cause(const std::vector<Value>& gap) {
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
  return text;
}

/// Where the device waited longest, and for what.
FigureTable gap_table(const Facts& facts) {
  FigureTable table{.id = "tab-gaps",
                    .title = "The longest times in which the device did nothing",
                    .definition = "def-idle",
                    .doubt = facts.whole().doubts(kNeedsGpu | kNeedsLinks),
                    .columns = {"at", "length", "cause", "ended by a launch in", "what ran then"}};
  const Report report = idle(facts.whole());
  const std::vector<std::vector<Value>>& gaps = report.table("largest gaps").rows;
  for (const std::vector<Value>& gap : gaps) {
    table.rows.push_back(
        {number_cell(time_words(gap[0].ns())),
         number_cell(time_words(gap[1].ns()),
                     static_cast<double>(gap[1].ns()) / static_cast<double>(gaps.front()[1].ns())),
         text_cell(gap_cause(gap)),
         gap[4].is_nothing() ? text_cell("") : name_cell(gap[4].text()),
         {Sentence().name(short_name(gap[6].text(), 60)), false, -1}});
  }
  return table;
}

/// Of the whole file, or of the small part of it in which there is anything.
Figure whole_timeline(const Facts& facts) {
  const Interval all = facts.window(), active = facts.active_time();
  std::string rows = facts.device() ? ", host above device" : ", host threads";
  if (const std::size_t more = facts.left_out_threads())
    rows +=
        fmt::format("; {} more host {} not drawn", more, more == 1 ? "thread is" : "threads are");
  if (active.length() >= all.length() / 10)
    return timeline_figure(facts, all, "fig-timeline",
                           (facts.is_of_steps() ? "The selected steps" : "The whole file") + rows);
  return timeline_figure(facts, active, "fig-timeline",
                         fmt::format("The {} of the {} in which there is anything{}",
                                     time_words(active.length()), time_words(all.length()), rows));
}

}  // namespace

Section step_time_section(const Facts& facts) {
  Section section{.id = "time", .question = "Where does a step's time go?"};
  const bool has_host = !facts.host_rows().empty();
  if (!facts.device() && !has_host) {
    section.say(Tone::Plain, "The file has neither operators nor device rows.");
    return section;
  }
  std::vector<StepTime> steps;
  if (facts.device()) {
    const StepTime whole = step_time_of(facts.whole(), "");
    for (const ModelStep* step : facts.all_steps())
      steps.push_back(step_time_of(facts.scope_of(*step), step->name));
    std::erase_if(steps, [](const StepTime& step) { return step.window == 0; });
    if (steps.empty() && whole.window > 0) steps.push_back(whole);
    say_device_time(section, whole);
    say_waits_for_host(section, steps);
    say_other_waits(section, steps);
    say_overlap(section, whole);
  } else {
    section.say(Tone::Plain, "The file has no device rows, so this is about the host alone.");
  }
  say_host_time(section, facts);
  if (!facts.chosen_words().empty()) section.say(Tone::Plain, facts.chosen_words());
  std::erase_if(
      steps, [&](const StepTime& step) { return !step.name.empty() && !facts.shows(step.name); });
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
  if (!steps.empty()) {
    section.figures.push_back(device_bars(steps));
    section.tables.push_back(step_table(steps));
    FigureTable gaps = gap_table(facts);
    if (!gaps.rows.empty()) section.tables.push_back(std::move(gaps));
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
  }
  return section;
}

}  // namespace notape::trace
