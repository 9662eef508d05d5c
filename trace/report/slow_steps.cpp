// Which steps are slow, what took longer in them, whether all of them got slower; and what the
// program's own ranges take.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trace/analysis/analyses.h"
#include "trace/report/curve.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr std::size_t kFewestForCurve = 17;  // up to here each step has a bar elsewhere
constexpr std::size_t kMostReasons = 3;

/// "`aten::mm` itself 1.2 ms, `cudaFree` 300 us": what a step took longer for, without ranges,
/// which hold the others, and without the device's work, which runs beside them.
Sentence reasons_of(const Table& reasons, const Value& step) {
  Sentence text;
  std::size_t count = 0;
  int64_t largest = 0;
  for (const std::vector<Value>& row : reasons.rows) {
    const std::string& kind = row[1].text();
    if (row[0] != step || kind == "user range" || kind == "GPU op") continue;
    const int64_t more = row[5].ns();
    if (count == kMostReasons || more * 20 < largest) break;
    largest = std::max(largest, more);
    if (count++ > 0) text << ", ";
    if (kind == "outside")
      text << "outside operators and calls";
    else
      text.name(row[2].text());
    text << (kind == "op self" ? " itself " : " ") + time_words(more);
  }
  return text;
}

/// The time of each step of the file, in their order.
Figure step_curve(const Facts& facts) {
  const std::vector<ModelStep>& steps = facts.model().steps;
  Figure figure{.id = "fig-steps",
                .title = fmt::format("Time of all {} steps, in their order", steps.size()),
                .definition = "def-slow",
                .legend = {{"call", "mean of a pixel's steps"}, {"area", "longest of them"}}};
  std::vector<Change> changes;
  for (std::size_t i = 0; i < steps.size(); ++i)
    changes.push_back({static_cast<int64_t>(i), static_cast<double>(steps[i].time.length())});
  const Axis across(0, static_cast<double>(steps.size()), kChartLeft, kChartRight);
  figure.svg =
      curve_chart_svg(figure.title, merged_to_pixels(changes, {0, std::ssize(steps)}), time_label,
                      across_axis_svg(across, kCurveTop, kCurveBottom, [&](double tick) {
                        if (tick != std::floor(tick) || tick >= across.high()) return std::string();
                        return fmt::format("step {}", steps[static_cast<std::size_t>(tick)].number);
                      }));
  return figure;
}

FigureTable slowest_table(const Facts& facts, const Report& report) {
  const Table& steps = report.table("slowest steps");
  FigureTable table =
      table_of({.id = "tab-slowest",
                .title = facts.is_of_steps() ? "The selected steps, slowest first"
                         : steps.rows.size() == facts.model().steps.size()
                             ? "All steps, slowest first"
                             : fmt::format("The {} slowest of {} steps", steps.rows.size(),
                                           facts.model().steps.size()),
                .definition = "def-slow"},
               &steps, {{"step", 0}, {"at", 1}, {"time", 2, Look::Bar}, {"times the median", 3}});
  const Table* reasons = report.find_table("what took longer");
  table.columns.push_back("took longer for");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<Value>& step = steps.rows[i];
    const bool is_longer = reasons && !step[3].is_nothing() && step[3].number() > 1;
    table.rows[i].push_back(text_cell(is_longer ? reasons_of(*reasons, step[0]) : Sentence()));
  }
  return table;
}

void add_steps(Section& section, const Facts& facts, const Report& report) {
  const std::vector<Value>& slowest = report.table("slowest steps").rows.front();
  section.findings.push_back({facts.is_of_steps() ? "slowest selected step" : "slowest step",
                              Sentence().name(slowest[0].text()),
                              fmt::format("{}, {} times the median of its level",
                                          value_words(slowest[2]), value_words(slowest[3])),
                              report["steps.time.median"].reason});
  section.add(report, {{"steps.time.median", "median step", "of all steps"},
                       {"steps.outliers", "outliers",
                        "more than 1.5 interquartile ranges above the third quartile of their "
                        "level, and a tenth above its median"}});
  if (report["steps.outliers"].value.count() > 0) section.findings.back().tone = Tone::Warning;
  const Metric* from = report.find("steps.level.from");
  if (from && !from->value.is_nothing()) {
    const bool is_slower =
        report["steps.level.after"].value.ns() > report["steps.level.before"].value.ns();
    section.add(report, {{"steps.level.from",
                          is_slower ? "slower to stay from step" : "faster to stay from step",
                          "found by the ranks of the times"},
                         {"steps.level.before", "median before it", ""},
                         {"steps.level.after", "median from it on", ""}});
    // What matters most comes first.
    std::rotate(section.findings.begin(), section.findings.end() - 3, section.findings.end());
    section.findings.front().tone = is_slower ? Tone::Bad : Tone::Good;
  }
  section.add(slowest_table(facts, report));
  section.add(table_of({.id = "tab-level",
                        .title = "What a median step takes before and after the change of level",
                        .definition = "def-slow"},
                       report.find_table("what changed with the level"),
                       {{"kind", 0, Look::Words},
                        {"name", 1},
                        {"before", 2},
                        {"after", 3},
                        {"more", 4, Look::Bar}}));
}

}  // namespace

Section slow_steps_section(const Facts& facts) {
  Section section{.id = "slow", .question = "Which steps are slow, and why?"};
  const Report report = steps(facts.whole());
  const std::size_t count = facts.model().steps.size();
  if (count > 1)
    add_steps(section, facts, report);
  else
    section.say(Tone::Plain, count == 0 ? "The file marks no steps."
                                        : "The file has one step, and none to compare it with.");
  if (count >= kFewestForCurve) section.figures.push_back(step_curve(facts));
  if (count > 0)
    section.definitions.push_back(
        {"def-slow", "Slow steps",
         "A step's time is that of the row that marks it. What took longer is its time by name "
         "less the median over all steps, in which a step without it counts as 0: an operator "
         "itself, without the operators and API calls in it; an API call; the time in which no "
         "thread was in either. Times of several threads add up. A change of level is found by "
         "the ranks of the times, with a chance of error under 0.1 %, from 24 steps on; each step "
         "is then compared with those of its own level."});
  FigureTable ranges = table_of(
      {.id = "tab-ranges", .title = "The program's own ranges", .definition = "def-ranges"},
      report.find_table("user ranges"),
      {{"range", 0},
       {"count", 1},
       {"time", 2, Look::Bar},
       {"median", 3},
       {"longest", 4},
       {"in", 5}});
  if (ranges.rows.empty()) return section;
  section.add(std::move(ranges));
  section.definitions.push_back(
      {"def-ranges", "The program's own ranges",
       "Ranges that the program or its framework writes around operators, by name; marks of "
       "steps are left out. Ranges inside others count in both."});
  return section;
}

}  // namespace notape::trace
