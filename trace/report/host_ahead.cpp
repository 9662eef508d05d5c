// Is the host ahead of the device: the queue-ahead ratio by step, the launch queue over time, and
// the first operators beside what they launch.

#include <algorithm>

#include "trace/analysis/analyses.h"
#include "trace/report/curve.h"
#include "trace/report/paper_figures.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

struct StepRatio {
  std::string name;  ///< empty: the whole file
  Report report;

  double corrected() const { return report["queue_ahead.corrected"].value.number(); }
};

/// Of the steps that have one.
std::vector<StepRatio> ratios_of(const Facts& facts) {
  std::vector<StepRatio> ratios;
  const auto add = [&](const Scope& scope, const std::string& name) {
    Report report = queue_ahead(scope);
    if (!report["queue_ahead.raw"].value.is_nothing() &&
        !report["queue_ahead.corrected"].value.is_nothing())
      ratios.push_back({name, std::move(report)});
  };
  for (const ModelStep* step : facts.all_steps()) add(facts.scope_of(*step), step->name);
  if (facts.all_steps().empty()) add(facts.whole(), "");
  return ratios;
}

/// The median one, as in all figures of several steps.
void add_ratio(Section& section, const std::vector<StepRatio>& ratios) {
  std::vector<const StepRatio*> order;
  for (const StepRatio& one : ratios) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(), [](const StepRatio* a, const StepRatio* b) {
    return a->corrected() < b->corrected();
  });
  const StepRatio& typical = *order[order.size() / 2];
  section.add(typical.report,
              {{"queue_ahead.corrected", "queue-ahead ratio",
                "device time over host time, without waits for a full queue; above 1 the host is "
                "ahead"},
               {"queue_ahead.raw", "ratio as measured",
                "with the time in which launch calls waited for a full queue"},
               {"queue_ahead.t_gpu", "device time", "in which at least one operation ran"},
               {"queue_ahead.t_cpu", "host time", "to queue it"},
               {"queue_ahead.backpressure", "of which blocked", "launch calls at a full queue"}});
  section.findings.front().tone = typical.corrected() >= 1 ? Tone::Good : Tone::Warning;
  if (!typical.name.empty())
    section.say(Tone::Plain, (Sentence("These are figures of ").name(typical.name)
                              << (order.size() > 1 ? ", the median of the steps." : ".")));
}

void add_queue(Section& section, const Facts& facts, const Report& report) {
  section.add(report, {{"queue.at_launch_max", "deepest launch queue", "operations at a launch"}});
  if (facts.saturation().is_found)
    section.add(
        report,
        {{"queue.saturation_depth", "full queue", "operations, as launch calls that get slow show"},
         {"queue.full_share", "queue full",
          "share of the time in which it was nine tenths full or fuller", Look::Share}});
  section.add(report, {{"run_ahead.mean", "launched and not done, on average",
                        "work before the device at a launch"},
                       {"run_ahead.max", "launched and not done, at most", ""},
                       {"launch_delay.p50", "launch to start, median",
                        "from the return of a launch call to the start of what it launched"},
                       {"launch_delay.p95", "launch to start, 95 %", ""}});
}

FigureTable ratio_table(const Facts& facts, const std::vector<StepRatio>& ratios) {
  constexpr std::pair<const char*, const char*> kColumns[] = {
      {"queue_ahead.corrected", "corrected for a full queue"},
      {"queue_ahead.raw", "as measured"},
      {"queue_ahead.t_gpu", "device time"},
      {"queue_ahead.t_cpu", "host time"},
      {"queue_ahead.backpressure", "of which blocked"}};
  FigureTable table{.id = "tab-ratio",
                    .title = "Queue-ahead ratio by step; above 1 the host is ahead",
                    .definition = "def-ratio",
                    .doubt = ratios.front().report["queue_ahead.corrected"].reason,
                    .columns = {"step"}};
  double most = 1;
  for (const StepRatio& one : ratios) most = std::max(most, one.corrected());
  for (const auto& [metric, title] : kColumns) table.columns.push_back(title);
  for (const StepRatio& one : ratios) {
    if (!one.name.empty() && !facts.shows(one.name)) continue;
    table.rows.push_back({one.name.empty() ? text_cell("whole file") : name_cell(one.name)});
    for (const auto& [metric, title] : kColumns)
      table.rows.back().push_back(number_cell(value_words(one.report[metric].value)));
    table.rows.back()[1].bar = one.corrected() / most;
  }
  return table;
}

Figure depth_figure(const Facts& facts, const std::string& doubt) {
  Figure figure{.id = "fig-depth",
                .title = "Launched and not started: operations in the launch queue",
                .definition = "def-depth",
                .doubt = doubt,
                .legend = {{"call", "mean of a pixel's time"}, {"area", "highest in it"}}};
  const TraceModel& model = facts.model();
  std::vector<std::pair<int64_t, int>> steps;  // at equal times launches come first
  for (const GpuOp& op : model.gpu_ops) {
    if (op.device != facts.device() || op.call == kNowhere) continue;
    steps.push_back({model.calls[static_cast<std::size_t>(op.call)].time.begin, -1});
    steps.push_back({op.time.begin, 1});
  }
  std::sort(steps.begin(), steps.end());
  std::vector<Change> changes;
  double depth = 0;
  for (const auto& [time, change] : steps)
    changes.push_back({time, std::max(0.0, depth -= change)});
  const Interval window = facts.window();
  const Axis across(0, static_cast<double>(window.length()), kChartLeft, kChartRight);
  Limit limit;
  if (facts.saturation().is_found)
    limit = {static_cast<double>(facts.saturation().depth),
             "full at " + count_words(facts.saturation().depth)};
  figure.svg = curve_chart_svg(figure.title, merged_to_pixels(changes, window), number_label,
                               time_axis_svg(across, kCurveTop, kCurveBottom), limit);
  return figure;
}

}  // namespace

Section host_ahead_section(const Facts& facts) {
  Section section{.id = "ahead", .question = "Is the host ahead of the device?"};
  if (!facts.device()) {
    section.say(Tone::Plain, "The file has no device rows.");
    return section;
  }
  const std::vector<StepRatio> ratios = ratios_of(facts);
  const Report report = queue(facts.whole());
  if (ratios.empty())
    section.say(Tone::Plain,
                "There is no queue-ahead ratio: no step has operators and device work that they "
                "launch.");
  else
    add_ratio(section, ratios);
  add_queue(section, facts, report);
  if (!ratios.empty()) {
    section.add(ratio_table(facts, ratios));
    section.definitions.push_back(
        {"def-ratio", "Queue-ahead ratio",
         "The time in which at least one of the step's device operations ran, over the host's time "
         "from the start of the step's first operator to the return of its last launch, without "
         "waits for the device and annotated data loading. Corrected: also without the time in "
         "which launch calls waited for a place in a full queue. Above 1 the host is ahead."});
  }
  if (report["queue.at_launch_max"].value.is_nothing()) return section;
  section.figures.push_back(depth_figure(facts, report["queue.at_launch_max"].reason));
  section.definitions.push_back(
      {"def-depth", "Launch queue",
       "Launch calls that have begun less device operations that have started, all streams of the "
       "device together, over the time shown. The queue is full at the smallest depth from which "
       "on the median launch call takes more than 4 times the median below it, with 30 calls on "
       "each side; a launch at nine tenths of that or more is blocked for what it takes beyond 4 "
       "median launch calls."});
  const PaperFigure figure = figure1(facts, {});
  if (figure.elements.empty()) return section;
  section.figures.push_back({.id = "fig-one",
                             .title = figure.title,
                             .svg = svg_element(figure.height, figure.title, figure.elements),
                             .definition = "def-one"});
  section.definitions.push_back(
      {"def-one", "First operators, host above device",
       "As in Figure 1 of the 2019 PyTorch paper: some operators of a step on the host and below "
       "each what it launched on the device, in the same colour, with a line from the launch call "
       "to the start. The step is that in which the host is furthest ahead; its operators are "
       "shown from the first on whose kernel is at least as long as the mean kernel, for the "
       "first ones of a step are often tiny."});
  return section;
}

}  // namespace notape::trace
