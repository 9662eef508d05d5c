// Is the first step like the others, and if not, what makes the difference.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/interchange/svg.h"
#include "trace/analysis/analyses.h"
#include "trace/report/chart.h"
#include "trace/report/paper_figures.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr double kCauseRow = 27, kCauseBar = 18;

struct Cause {
  std::string label;
  const char* classes;
  int64_t ns = 0;
  bool is_part = false;  ///< of the allocator's
};

std::vector<Cause> causes_of(const Report& report) {
  constexpr std::pair<const char*, std::pair<const char*, const char*>> kCauses[] = {
      {"first_iteration.allocator", {"memory management", "allocator"}},
      {"first_iteration.first_use", {"first use (inferred)", "setup"}},
      {"first_iteration.initialisation", {"initialisation", "latency"}},
      {"first_iteration.sync", {"waits for the device", "sync"}},
      {"first_iteration.data_loading", {"data loading", "loading"}},
      {"first_iteration.unexplained", {"unexplained", "outside"}},
  };
  std::vector<Cause> causes;
  for (const auto& [metric, look] : kCauses) {
    const Metric* found = report.find(metric);
    if (found && !found->value.is_nothing())
      causes.push_back({look.first, look.second, found->value.ns()});
  }
  return causes;
}

void say_excess(Section& section, const Facts& facts, const Report& report,
                std::vector<Cause> causes) {
  const Metric& excess = report["first_iteration.excess"];
  const int64_t first = report["first_iteration.time"].value.ns();
  const int64_t steady = report["first_iteration.steady_time"].value.ns();
  const ModelStep& step = facts.model().steps.front();
  Sentence text = Sentence().name(step.name);
  if (excess.value.ns() * 10 <= steady) {
    text << fmt::format(", the first of the file, took {}, {} the others ({}){}.",
                        time_words(first),
                        excess.value.ns() * 10 < -steady ? "less than" : "no longer than",
                        time_words(steady), doubt_words(excess.reason));
    section.say(Tone::Good, std::move(text));
  } else {
    text << fmt::format(
        ", the first of the file, took {}: {} times the median of the others ({}){}.",
        time_words(first),
        ratio_words(static_cast<double>(first) / static_cast<double>(std::max<int64_t>(1, steady))),
        time_words(steady), doubt_words(excess.reason));
    section.say(Tone::Warning, std::move(text));
    std::stable_sort(causes.begin(), causes.end(),
                     [](const Cause& a, const Cause& b) { return a.ns > b.ns; });
    std::vector<std::string> parts;
    for (const Cause& cause : causes)
      if (cause.ns * 50 > excess.value.ns())
        parts.push_back(cause.label + " " + share_words(cause.ns, excess.value.ns()));
    section.say(Tone::Plain,
                fmt::format("Of the {} that it took longer: {}.", time_words(excess.value.ns()),
                            fmt::format("{}", fmt::join(parts, ", "))));
  }
  if (step.number != 0)
    section.say(Tone::Plain,
                fmt::format("It is number {}, perhaps not the first of the program.", step.number));
}

Figure iteration_bars(const Facts& facts, const Report& report) {
  Figure figure{.id = "fig-iterations",
                .title = "Time of the steps, from mark to mark",
                .definition = "def-first",
                .doubt = facts.whole().doubts(kNeedsSteps)};
  figure.legend = {{"kernel", "device busy"}, {"back", "device idle"}};
  struct Bar {
    std::string name;
    int64_t ns, busy;
  };
  std::vector<Bar> bars;
  int64_t longest = 1;
  for (const std::vector<Value>& row : report.table("iterations").rows) {
    const bool is_shown =
        std::any_of(facts.steps().begin(), facts.steps().end(),
                    [&](const ModelStep* step) { return Value(step->name) == row[0]; });
    if (!is_shown) continue;
    bars.push_back({row[0].text(), row[1].ns(), row[2].ns()});
    longest = std::max(longest, bars.back().ns);
  }
  const Axis axis(0, static_cast<double>(longest) * 1.1, kChartLeft, kChartRight);
  const double bottom = 8 + kCauseRow * static_cast<double>(bars.size());
  std::string elements = time_axis_svg(axis, 2, bottom);
  double top = 8;
  for (const Bar& bar : bars) {
    const auto busy = static_cast<double>(bar.busy), idle = static_cast<double>(bar.ns - bar.busy);
    elements += row_label_svg(top + kCauseBar / 2, bar.name) +
                stacked_bar_svg({{"kernel", busy, "device busy: " + time_words(bar.busy)},
                                 {"back", idle, "device idle: " + time_words(bar.ns - bar.busy)}},
                                axis, top, kCauseBar) +
                interchange::svg_text(axis.at(static_cast<double>(bar.ns)) + 7, top + 13, "",
                                      time_words(bar.ns));
    top += kCauseRow;
  }
  figure.svg = svg_element(bottom + 24, figure.title, elements);
  return figure;
}

/// From nothing to the whole excess, a cause a row; one that is less in the first step goes back.
Figure cause_figure(const std::vector<Cause>& causes, const Metric& excess) {
  Figure figure{.id = "fig-excess",
                .title = "What the first step took longer for",
                .definition = "def-first",
                .doubt = excess.reason};
  double least = 0, most = 1, sum = 0;
  for (const Cause& cause : causes) {
    sum += static_cast<double>(cause.ns);
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  const Axis axis(least, most + 0.12 * (most - least), kChartLeft, kChartRight);
  const double bottom = 8 + kCauseRow * static_cast<double>(causes.size() + 1);
  std::string elements;
  for (const double tick : axis.ticks(8)) {
    const double x = axis.at(tick);
    elements += interchange::svg_line(x, 2, x, bottom + 4, "grid");
    elements += interchange::svg_text(x, bottom + 17, "middle",
                                      tick == 0 ? "0" : time_words(static_cast<int64_t>(tick)));
  }
  double top = 8, from = 0;
  const auto add_row = [&](const std::string& label, const char* classes, double begin, double end,
                           const std::string& words) {
    const double left = axis.at(std::min(begin, end)), right = axis.at(std::max(begin, end));
    elements += row_label_svg(top + kCauseBar / 2, label) +
                interchange::svg_rect(left, top, std::max(1.0, right - left), kCauseBar, classes) +
                interchange::svg_text(right + 7, top + 13, "", words);
    top += kCauseRow;
  };
  for (const Cause& cause : causes) {
    const double to = from + static_cast<double>(cause.ns);
    add_row(cause.label, cause.classes, from, to,
            fmt::format("{}, {}", time_words(cause.ns), share_words(cause.ns, excess.value.ns())));
    from = to;
  }
  add_row("together", "unlinked", 0, from, time_words(excess.value.ns()));
  figure.svg = svg_element(bottom + 24, figure.title, elements);
  return figure;
}

}  // namespace

Section first_step_section(const Facts& facts) {
  Section section{.id = "first", .question = "Is the first step like the others?"};
  const TraceModel& model = facts.model();
  const Report report = first_iteration(facts.whole());
  const Metric& excess = report["first_iteration.excess"];
  if (excess.value.is_nothing()) {
    section.say(Tone::Plain, model.steps.empty()
                                 ? "The file marks no steps, so there is no first one to compare."
                                 : "The file has one step, so there is none to compare it with.");
  } else {
    const std::vector<Cause> causes = causes_of(report);
    say_excess(section, facts, report, causes);
    section.figures.push_back(iteration_bars(facts, report));
    if (excess.value.ns() * 10 > report["first_iteration.steady_time"].value.ns())
      section.figures.push_back(cause_figure(causes, excess));
    section.definitions.push_back(
        {"def-first", "First step against the others",
         "The time of a step runs from its mark to the next, of the last one to the end of the "
         "file. The excess is the first one's less the median of the others. A moment of the "
         "host's time belongs to the first cause that fits, in the order shown; a cause counts "
         "with its time in the first step less its median over the others. First use is inferred: "
         "kernel launches of more than 100 median launches, which load modules or make a context. "
         "What no cause explains is shown as such."});
  }
  const PaperFigure figure = figure2(facts);
  if (!figure.elements.empty()) {
    section.figures.push_back({.id = "fig-two",
                               .title = figure.title,
                               .svg = svg_element(figure.height, figure.title, figure.elements),
                               .definition = "def-two"});
    section.definitions.push_back(
        {"def-two", "The first step beside the others",
         "As in Figure 2 of the 2019 PyTorch paper: all host threads together above, the device "
         "below; each pixel's column is filled by the shares of its time. Triangles mark calls "
         "that "
         "make memory (dark) or free it (light), where there is room for them."});
  }
  return section;
}

}  // namespace notape::trace
