// Which steps are slow, what took longer in them, whether all of them got slower; and what the
// program's own ranges take.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/interchange/svg.h"
#include "trace/analysis/analyses.h"
#include "trace/report/curve.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr std::size_t kFewestForCurve = 17;  // up to here each step has a bar elsewhere

using Rows = std::vector<std::vector<Value>>;

/// Empty if there is no such table.
const Rows& rows_of(const Report& report, std::string_view name) {
  static const Rows kNone;
  for (const Table& table : report.tables)
    if (table.name == name) return table.rows;
  return kNone;
}

/// "`aten::mm` itself 1.2 ms"
Sentence cost_words(const std::string& kind, const std::string& name, int64_t ns) {
  Sentence text;
  if (kind == "outside")
    text << "outside operators and calls";
  else
    text.name(name);
  text << (kind == "op self" ? " itself " : " ") + time_words(ns);
  return text;
}

/// "`aten::mm` itself 1.2 ms, `cudaFree` 300 us": what a step took longer for, without ranges,
/// which hold the others, and without the device's work, which runs beside them.
Sentence reasons_of(const Report& report, const Value& step, std::size_t most) {
  Sentence text;
  std::size_t count = 0;
  int64_t largest = 0;
  for (const std::vector<Value>& row : rows_of(report, "what took longer")) {
    const std::string& kind = row[1].text();
    if (row[0] != step || kind == "user range" || kind == "GPU op") continue;
    const int64_t more = row[5].ns();
    if (count == most || more * 20 < largest) break;
    largest = std::max(largest, more);
    if (count++ > 0) text << ", ";
    text.add(cost_words(kind, row[2].text(), more));
  }
  return text;
}

void say_level(Section& section, const Facts& facts, const Report& report) {
  const Metric* from = report.find("steps.level.from");
  if (!from || from->value.is_nothing()) return;
  const int64_t before = report["steps.level.before"].value.ns();
  const int64_t after = report["steps.level.after"].value.ns();
  const auto step =
      std::find_if(facts.model().steps.begin(), facts.model().steps.end(),
                   [&](const ModelStep& one) { return one.number == from->value.count(); });
  const double ratio =
      static_cast<double>(after) / static_cast<double>(std::max<int64_t>(1, before));
  Sentence text("From ");
  text.name(step->name) << fmt::format(
      " on the steps are {}: {} at the median, before that {} ({} times as long){}.",
      after > before ? "slower to stay" : "faster to stay", time_words(after), time_words(before),
      ratio_words(ratio), doubt_words(from->reason));
  section.say(after > before ? Tone::Bad : Tone::Good, std::move(text));
  Sentence reasons;
  int64_t largest = 0;
  std::size_t count = 0;
  for (const std::vector<Value>& row : rows_of(report, "what changed with the level")) {
    const std::string& kind = row[0].text();
    const int64_t more = after > before ? row[4].ns() : -row[4].ns();
    if (kind == "user range" || kind == "GPU op" || more * 20 < largest || more <= 0) continue;
    if (count == 3) break;
    largest = std::max(largest, more);
    reasons << (count++ ? ", " : "");
    reasons.add(cost_words(kind, row[1].text(), more));
  }
  if (count > 0)
    section.say(Tone::Plain, Sentence(after > before ? "Since then a step takes longer for: "
                                                     : "Since then a step takes less for: ")
                                     .add(reasons)
                                 << ".");
}

void say_slowest(Section& section, const Facts& facts, const Report& report) {
  const std::vector<Value>& slowest = rows_of(report, "slowest steps").front();
  const Metric& median = report["steps.time.median"];
  const int64_t all = report["steps.count"].value.count();
  const int64_t outliers = report["steps.outliers"].value.count();
  const double times = slowest[3].is_nothing() ? 1 : slowest[3].number();
  Sentence text = Sentence().name(slowest[0].text());
  // Where the level changes the slowest is one of the slower level, and need not stand out there.
  const bool has_levels = !report["steps.level.from"].value.is_nothing();
  const std::string steps = count_words(all, "step");
  text << (facts.is_of_steps() ? " took "
           : has_levels        ? " stands out most of " + steps + ": "
                               : " is the slowest of " + steps + ": ");
  text << fmt::format("{}, {} times the median{}{}", time_words(slowest[2].ns()),
                      ratio_words(times),
                      has_levels ? " of its level"
                                 : (facts.is_of_steps() ? " of all " + steps : "") + " (" +
                                       time_words(median.value.ns()) + ")",
                      doubt_words(median.reason));
  if (Sentence reasons = reasons_of(report, slowest[0], 3); times > 1.1 && !reasons.empty())
    (text << ". It took longer for: ").add(reasons);
  text << ".";
  section.say(outliers > 0 ? Tone::Warning : Tone::Plain, std::move(text));
  if (outliers > 1)
    section.say(Tone::Warning,
                fmt::format("{} of the {} are outliers: more than 1.5 interquartile ranges above "
                            "the third quartile of their level, and a tenth above its median.",
                            outliers, count_words(all, "step")));
}

void say_ranges(Section& section, const Report& report) {
  const Rows& ranges = rows_of(report, "user ranges");
  if (ranges.empty()) return;
  const std::vector<Value>& most = ranges.front();
  Sentence text("Of the program's own ranges ");
  text.name(most[0].text()) << fmt::format(
      " takes most: {} in {}, median {}, longest {}", time_words(most[2].ns()),
      count_words(most[1].count(), "run"), time_words(most[3].ns()), time_words(most[4].ns()));
  if (!most[5].is_nothing()) (text << " in ").name(most[5].text());
  text << ".";
  section.say(Tone::Plain, std::move(text));
}

/// The time of each step of the file, in their order.
Figure step_curve(const Facts& facts) {
  const std::vector<ModelStep>& steps = facts.model().steps;
  Figure figure{.id = "fig-steps",
                .title = fmt::format("Time of all {} steps, in their order", steps.size()),
                .definition = "def-slow",
                .legend = {{"call", "mean of a pixel's steps"}, {"area", "longest of them"}}};
  std::vector<Change> changes;
  double most = 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    changes.push_back({static_cast<int64_t>(i), static_cast<double>(steps[i].time.length())});
    most = std::max(most, changes.back().value);
  }
  constexpr double kTop = 14, kBottom = 170;
  const auto count = static_cast<double>(steps.size());
  const Axis vertical(0, most * 1.1, kBottom, kTop), horizontal(0, count, kChartLeft, kChartRight);
  const PixelValues pixels = merged_to_pixels(changes, {0, static_cast<int64_t>(steps.size())},
                                              static_cast<std::size_t>(kChartRight - kChartLeft));
  std::string elements = value_axis_svg(vertical, kChartLeft, kChartRight, [](double ns) {
    return ns == 0 ? std::string("0") : time_words(static_cast<int64_t>(ns));
  });
  for (const double tick : horizontal.ticks(8)) {
    if (tick != std::floor(tick) || tick >= count) continue;
    const double x = horizontal.at(tick);
    elements += interchange::svg_line(x, kTop, x, kBottom + 4, "grid");
    elements +=
        interchange::svg_text(x, kBottom + 17, "middle",
                              fmt::format("step {}", steps[static_cast<std::size_t>(tick)].number));
  }
  elements += curve_svg(pixels.highest, vertical, "area", true) +
              curve_svg(pixels.mean, vertical, "curve", false);
  figure.svg = svg_element(kBottom + 24, figure.title, elements);
  return figure;
}

FigureTable slowest_table(const Facts& facts, const Report& report) {
  const Rows& steps = rows_of(report, "slowest steps");
  FigureTable table{.id = "tab-slowest",
                    .title = facts.is_of_steps() ? "The selected steps, slowest first"
                             : steps.size() == facts.model().steps.size()
                                 ? "All steps, slowest first"
                                 : fmt::format("The {} slowest of {} steps", steps.size(),
                                               facts.model().steps.size()),
                    .definition = "def-slow",
                    .columns = {"step", "at", "time", "times the median", "took longer for"}};
  for (const std::vector<Value>& step : steps) {
    const bool is_longer = !step[3].is_nothing() && step[3].number() > 1;
    table.rows.push_back(
        {name_cell(step[0].text()), number_cell(time_words(step[1].ns())),
         number_cell(time_words(step[2].ns()),
                     static_cast<double>(step[2].ns()) /
                         static_cast<double>(std::max<int64_t>(1, steps[0][2].ns()))),
         number_cell(step[3].is_nothing() ? "-" : ratio_words(step[3].number())),
         text_cell(is_longer ? reasons_of(report, step[0], 3) : Sentence())});
  }
  return table;
}

FigureTable range_table(const Report& report) {
  const Rows& ranges = rows_of(report, "user ranges");
  FigureTable table{.id = "tab-ranges",
                    .title = "The program's own ranges",
                    .definition = "def-ranges",
                    .columns = {"range", "count", "time", "median", "longest", "in"}};
  for (const std::vector<Value>& range : ranges)
    table.rows.push_back(
        {name_cell(range[0].text()), number_cell(count_words(range[1].count())),
         number_cell(time_words(range[2].ns()),
                     static_cast<double>(range[2].ns()) /
                         static_cast<double>(std::max<int64_t>(1, ranges[0][2].ns()))),
         number_cell(time_words(range[3].ns())), number_cell(time_words(range[4].ns())),
         range[5].is_nothing() ? text_cell("") : name_cell(range[5].text())});
  return table;
}

}  // namespace

Section slow_steps_section(const Facts& facts) {
  Section section{.id = "slow", .question = "Which steps are slow, and why?"};
  const Report report = steps(facts.whole());
  const std::vector<ModelStep>& all = facts.model().steps;
  if (all.empty()) {
    section.say(Tone::Plain, "The file marks no steps.");
  } else {
    say_level(section, facts, report);
    if (all.size() > 1)
      say_slowest(section, facts, report);
    else
      section.say(Tone::Plain, "The file has one step, so there is none to compare it with.");
    if (all.size() >= kFewestForCurve) section.figures.push_back(step_curve(facts));
    if (all.size() > 1) section.tables.push_back(slowest_table(facts, report));
    section.definitions.push_back(
        {"def-slow", "Slow steps",
         "A step's time is that of the row that marks it. What took longer is its time by name "
         "less the median over all steps, in which a step without it counts as 0: an operator "
         "itself, without the operators and API calls in it; an API call; the time in which no "
         "thread was in either. Times of several threads add up. A change of level is found by "
         "the ranks of the times, with a chance of error under 0.1 %, from 24 steps on; each step "
         "is then compared with those of its own level."});
  }
  say_ranges(section, report);
  if (FigureTable table = range_table(report); !table.rows.empty()) {
    section.tables.push_back(std::move(table));
    section.definitions.push_back(
        {"def-ranges", "The program's own ranges",
         "Ranges that the program or its framework writes around operators, by name; marks of "
         "steps are left out. Ranges inside others count in both."});
  }
  return section;
}

}  // namespace notape::trace
