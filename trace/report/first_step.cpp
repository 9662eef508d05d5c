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
      {"first_iteration.operators", {"operators", "op"}},
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
  const auto left_out = excess.excluded.find("after_level_change");
  const std::string others =
      left_out == excess.excluded.end()
          ? "the others"
          : "the others before " +
                facts.model().steps[facts.model().steps.size() - left_out->second].name;
  Sentence text = Sentence().name(step.name);
  if (excess.value.ns() <= steady / 10) {
    text << fmt::format(", the first of the file, took {}, {} {} ({}){}.", time_words(first),
                        excess.value.ns() < -(steady / 10) ? "less than" : "no longer than", others,
                        time_words(steady), doubt_words(excess.reason));
    section.say(Tone::Good, std::move(text));
  } else {
    text << fmt::format(
        ", the first of the file, took {}: {} times the median of {} ({}){}.", time_words(first),
        ratio_words(static_cast<double>(first) / static_cast<double>(std::max<int64_t>(1, steady))),
        others, time_words(steady), doubt_words(excess.reason));
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
  const bool has_device = facts.device().has_value();
  Figure figure{.id = "fig-iterations",
                .title = "Time of the steps, from mark to mark",
                .definition = "def-first",
                .doubt = facts.whole().doubts(kNeedsSteps)};
  if (has_device) figure.legend = {{"kernel", "device busy"}, {"back", "device idle"}};
  std::vector<const std::vector<Value>*> shown;
  int64_t longest = 1;
  const Table& iterations = report.table("iterations");
  for (const std::vector<Value>& row : iterations.rows) {
    if (!facts.shows(row[0].text())) continue;
    shown.push_back(&row);
    longest = std::max(longest, row[1].ns());
  }
  const Axis axis(0, static_cast<double>(longest) * 1.1, kChartLeft, kChartRight);
  const double bottom = 8 + kCauseRow * static_cast<double>(shown.size());
  std::string elements = time_axis_svg(axis, 2, bottom);
  double top = 8;
  for (const std::vector<Value>* row : shown) {
    const int64_t ns = (*row)[1].ns();
    std::vector<BarPart> parts{{"op", static_cast<double>(ns), time_words(ns)}};
    if (has_device) {
      const int64_t busy = (*row)[2].ns();
      parts = {{"kernel", static_cast<double>(busy), "device busy: " + time_words(busy)},
               {"back", static_cast<double>(ns - busy), "device idle: " + time_words(ns - busy)}};
    }
    elements +=
        row_label_svg(top + kCauseBar / 2, (*row)[0].text()) +
        stacked_bar_svg(parts, axis, top, kCauseBar) +
        interchange::svg_text(axis.at(static_cast<double>(ns)) + 7, top + 13, "", time_words(ns));
    top += kCauseRow;
  }
  figure.svg = svg_element(bottom + 24, figure.title, elements);
  return figure;
}

/// The operators that take longer in the first step, where nothing but operators explains it.
FigureTable slower_operators(const Report& report) {
  FigureTable table{.id = "tab-first-operators",
                    .title = "Operators that took longer in the first step than in the median one",
                    .definition = "def-first",
                    .columns = {"operator", "own time", "median", "longer by"}};
  for (const Table& one : report.tables)
    if (one.name == "excess by operator")
      for (const std::vector<Value>& row : one.rows)
        table.rows.push_back(
            {name_cell(row[0].text()), number_cell(time_words(row[1].ns())),
             number_cell(time_words(row[2].ns())),
             number_cell(time_words(row[3].ns()),
                         static_cast<double>(row[3].ns()) /
                             static_cast<double>(std::max<int64_t>(1, one.rows[0][3].ns())))});
  return table;
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
  if (facts.is_of_steps()) {
    section.say(Tone::Plain,
                "This page is about some steps: the page of the whole file compares "
                "the first one.");
    return section;
  }
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
    if (excess.value.ns() > report["first_iteration.steady_time"].value.ns() / 10)
      section.figures.push_back(cause_figure(causes, excess));
    if (FigureTable table = slower_operators(report); !table.rows.empty())
      section.tables.push_back(std::move(table));
    section.definitions.push_back(
        {"def-first", "First step against the others",
         "The time of a step runs from its mark to the next, of the last one to the end of the "
         "file. The excess is the first one's less the median of the others. A moment of the "
         "host's time belongs to the first cause that fits, in the order shown; a cause counts "
         "with its time in the first step less its median over the others. First use is inferred: "
         "kernel launches of more than 100 median launches, which load modules or make a context. "
         "Of files without API calls the only cause known is being inside operators. Where the "
         "steps change their level to stay, the others are those before that. "
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
