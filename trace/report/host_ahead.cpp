// Is the host ahead of the device: the queue-ahead ratio by step, the launch queue over time, and
// the first operators beside what they launch.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/interchange/svg.h"
#include "trace/analysis/analyses.h"
#include "trace/report/curve.h"
#include "trace/report/paper_figures.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {
namespace {

constexpr double kRatioRow = 25;

struct StepRatio {
  std::string name;  ///< empty: the whole file
  double raw = 0, corrected = 0;
  int64_t t_gpu = 0, t_cpu = 0, backpressure = 0;
  std::string doubt;
};

/// Of the steps that have one.
std::vector<StepRatio> ratios_of(const Facts& facts) {
  std::vector<StepRatio> ratios;
  const auto add = [&](const Scope& scope, const std::string& name) {
    const Report report = queue_ahead(scope);
    const Metric& raw = report["queue_ahead.raw"];
    const Metric& corrected = report["queue_ahead.corrected"];
    if (raw.value.is_nothing() || corrected.value.is_nothing()) return;
    ratios.push_back({name, raw.value.number(), corrected.value.number(),
                      report["queue_ahead.t_gpu"].value.ns(),
                      report["queue_ahead.t_cpu"].value.ns(),
                      report["queue_ahead.backpressure"].value.ns(), corrected.reason});
  };
  for (const ModelStep* step : facts.all_steps()) add(facts.scope_of(*step), step->name);
  if (facts.all_steps().empty()) add(facts.whole(), "");
  return ratios;
}

void say_ratio(Section& section, const std::vector<StepRatio>& ratios) {
  // The median one, as in all figures of several steps.
  std::vector<const StepRatio*> order;
  for (const StepRatio& one : ratios) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(), [](const StepRatio* a, const StepRatio* b) {
    return a->corrected < b->corrected;
  });
  const StepRatio& typical = *order[order.size() / 2];
  Sentence text;
  if (typical.name.empty())
    text << "In the file as a whole";
  else
    (text << "In ").name(typical.name);
  if (order.size() > 1) text << ", the median of the steps,";
  if (typical.corrected >= 1)
    text << fmt::format(
        " the host is ahead: the device takes {} times as long for the work as the "
        "host takes to queue it",
        ratio_words(typical.corrected));
  else
    text << fmt::format(
        " the host is behind: it takes {} to queue what the device does in {} "
        "(ratio {})",
        time_words(typical.t_cpu - typical.backpressure), time_words(typical.t_gpu),
        ratio_words(typical.corrected));
  text << doubt_words(typical.doubt) + ".";
  section.say(typical.corrected >= 1 ? Tone::Good : Tone::Warning, std::move(text));
  if (typical.backpressure * 20 > typical.t_cpu)
    section.say(
        Tone::Plain,
        fmt::format("Uncorrected that ratio is {}{}: for {} launch calls only waited for a "
                    "place in the full queue, which makes the host look as slow as the "
                    "device.",
                    ratio_words(typical.raw),
                    typical.raw < 1 && typical.corrected >= 1 ? ", which says the opposite" : "",
                    time_words(typical.backpressure)));
}

void say_queue(Section& section, const Facts& facts, const Report& report) {
  const Saturation& saturation = facts.saturation();
  const Metric& deepest = report["queue.at_launch_max"];
  if (deepest.value.is_nothing()) return;
  if (saturation.is_found)
    section.say(Tone::Plain,
                fmt::format("The launch queue is full at {} operations, as launch calls that get "
                            "slow show; it was at least nine tenths full {} of the time{}.",
                            count_words(saturation.depth),
                            share_words(report["queue.full_share"].value.number()),
                            doubt_words(report["queue.full_share"].reason)));
  else if (deepest.value.count() == 0)
    section.say(Tone::Plain,
                "Whenever the host launched something, nothing was waiting in the launch queue" +
                    doubt_words(deepest.reason) + ".");
  else
    section.say(
        Tone::Plain,
        fmt::format("The launch queue was at most {} deep, and no depth made launch calls "
                    "slow{}.",
                    count_words(deepest.value.count(), "operation"), doubt_words(deepest.reason)));
  const Metric& ahead = report["run_ahead.max"];
  if (!ahead.value.is_nothing())
    section.say(Tone::Plain,
                fmt::format("Launched work that the device had not done yet: {} on average at a "
                            "launch, at most {}{}.",
                            time_words(report["run_ahead.mean"].value.ns()),
                            time_words(ahead.value.ns()), doubt_words(ahead.reason)));
  const Metric& delay = report["launch_delay.p50"];
  if (!delay.value.is_nothing())
    section.say(
        Tone::Plain,
        fmt::format("From the return of a launch call to the start of what it launched: "
                    "median {}, 95 % under {}{}.",
                    time_words(delay.value.ns()), time_words(report["launch_delay.p95"].value.ns()),
                    doubt_words(delay.reason)));
}

Figure ratio_figure(const Facts& facts, std::vector<StepRatio> ratios) {
  std::erase_if(ratios,
                [&](const StepRatio& one) { return !one.name.empty() && !facts.shows(one.name); });
  Figure figure{.id = "fig-ratio",
                .title = "Queue-ahead ratio by step",
                .definition = "def-ratio",
                .doubt = ratios.empty() ? "" : ratios.front().doubt,
                .legend = {{"corrected", "corrected for a full queue"}, {"raw", "raw"}}};
  double most = 1.2;
  for (const StepRatio& one : ratios) most = std::max({most, one.raw, one.corrected});
  const Axis axis(0, most * 1.08, kChartLeft, kChartRight);
  const double bottom = 24 + kRatioRow * static_cast<double>(ratios.size());
  std::string elements;
  for (const double tick : axis.ticks(8)) {
    const double x = axis.at(tick);
    elements += interchange::svg_line(x, 18, x, bottom + 4, "grid");
    elements += interchange::svg_text(x, bottom + 17, "middle", fmt::format("{:g}", tick));
  }
  const double one = axis.at(1);
  elements += interchange::svg_line(one, 18, one, bottom + 4, "one");
  elements += interchange::svg_text(one + 6, 12, "", "host is ahead");
  if (one - kChartLeft > 100)
    elements += interchange::svg_text(one - 6, 12, "end", "host is behind");
  double y = 24 + kRatioRow / 2;
  for (const StepRatio& ratio : ratios) {
    const double raw = axis.at(ratio.raw), corrected = axis.at(ratio.corrected);
    elements += row_label_svg(y, ratio.name.empty() ? "whole file" : ratio.name);
    elements +=
        interchange::svg_line(std::min(raw, corrected), y, std::max(raw, corrected), y, "axis");
    elements += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"corrected\"/>"
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"raw\"/>",
        corrected, y, raw, y);
    const std::string words = ratio_words(ratio.corrected);
    elements += interchange::svg_text(std::max(raw, corrected) + 10, y + 4, "label halo", words);
    y += kRatioRow;
  }
  figure.svg = svg_element(bottom + 24, figure.title, elements);
  return figure;
}

std::string depth_words(double value) { return fmt::format("{:g}", value); }

Figure depth_figure(const Facts& facts, const std::string& doubt) {
  Figure figure{.id = "fig-depth",
                .title = "Launched and not started: operations in the launch queue",
                .definition = "def-depth",
                .doubt = doubt,
                .legend = {{"call", "mean of a pixel's time"}, {"area", "highest in it"}}};
  const TraceModel& model = facts.model();
  std::vector<std::pair<int64_t, int>> steps;
  for (const GpuOp& op : model.gpu_ops) {
    if (op.device != facts.device() || op.call == kNowhere) continue;
    steps.push_back({model.calls[static_cast<std::size_t>(op.call)].time.begin, 1});
    steps.push_back({op.time.begin, -1});
  }
  // At equal times what is launched counts before what starts.
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, -a.second) < std::pair(b.first, -b.second);
  });
  std::vector<Change> changes;
  double depth = 0, most = 4;
  for (const auto& [time, change] : steps) {
    depth += change;
    most = std::max(most, depth);
    changes.push_back({time, std::max(0.0, depth)});
  }
  const bool shows_limit = facts.saturation().is_found;
  const auto limit = static_cast<double>(facts.saturation().depth);
  if (shows_limit) most = std::max(most, limit);
  constexpr double kTop = 14, kBottom = 190;
  const Axis vertical(0, most * 1.1, kBottom, kTop);
  const Interval window = facts.window();
  const Axis horizontal(0, static_cast<double>(window.length()), kChartLeft, kChartRight);
  const PixelValues pixels =
      merged_to_pixels(changes, window, static_cast<std::size_t>(kChartRight - kChartLeft));
  std::string elements = time_axis_svg(horizontal, kTop, kBottom) +
                         value_axis_svg(vertical, kChartLeft, kChartRight, depth_words) +
                         curve_svg(pixels.highest, vertical, "area", true) +
                         curve_svg(pixels.mean, vertical, "curve", false);
  if (shows_limit) {
    const double y = vertical.at(limit);
    elements += interchange::svg_line(kChartLeft, y, kChartRight, y, "limit");
    elements += interchange::svg_text(kChartRight - 4, y - 5, "end limit",
                                      "full at " + count_words(facts.saturation().depth));
  }
  figure.svg = svg_element(kBottom + 24, figure.title, elements);
  return figure;
}

}  // namespace

Section host_ahead_section(const Facts& facts) {
  Section section{.id = "ahead", .question = "Is the host ahead of the device?"};
  if (!facts.device()) {
    section.say(Tone::Plain, "The file has no device rows, so there is nothing to be ahead of.");
    return section;
  }
  const std::vector<StepRatio> ratios = ratios_of(facts);
  const Report report = queue(facts.whole());
  if (ratios.empty())
    section.say(Tone::Plain,
                facts.model().ops.empty()
                    ? "The file has no operators, so there is no queue-ahead ratio."
                    : "No step has both operators and device work that they launch, so there is no "
                      "queue-ahead ratio.");
  else
    say_ratio(section, ratios);
  say_queue(section, facts, report);
  if (!ratios.empty()) {
    section.figures.push_back(ratio_figure(facts, ratios));
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
  if (!figure.elements.empty()) {
    section.figures.push_back({.id = "fig-one",
                               .title = figure.title,
                               .svg = svg_element(figure.height, figure.title, figure.elements),
                               .definition = "def-one"});
    section.definitions.push_back(
        {"def-one", "First operators, host above device",
         "As in Figure 1 of the 2019 PyTorch paper: some operators of a step on the host and below "
         "each what it launched on the device, in the same colour, with a line from the launch "
         "call "
         "to the start. The step is that in which the host is furthest ahead; its operators are "
         "shown from the first on whose kernel is at least as long as the mean kernel, for the "
         "first ones of a step are often tiny."});
  }
  return section;
}

}  // namespace notape::trace
