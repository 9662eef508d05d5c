// Figure 2: iterations on the host and on the device. In the first the host is in the driver, for
// memory and for what is done once, and the device waits; later this is gone.
#include <fmt/format.h>

#include <algorithm>

#include "autograd/error.h"
#include "autograd/interchange/svg.h"
#include "trace/model/rows.h"
#include "trace/report/chart.h"
#include "trace/report/paper_figures.h"
#include "trace/report/words.h"

namespace notape::trace {

const char* const kPaperRules = R"(
svg .paper0 { fill: var(--blue-soft); stroke: var(--blue); }
svg .paper1 { fill: var(--teal-soft); stroke: var(--teal); }
svg .paper2 { fill: var(--yellow-soft); stroke: var(--yellow); }
svg .paper3 { fill: var(--green-soft); stroke: var(--green); }
svg .paper4 { fill: var(--red-soft); stroke: var(--red); }
svg text.inside { fill: var(--ink); font-size: 10px; }
svg .launched { fill: var(--ink); opacity: .75; }
svg .pair { fill: none; stroke: var(--quiet); stroke-width: 1; opacity: .7; }
svg .malloc { fill: var(--red); }
svg .free { fill: var(--red); opacity: .5; }
)";

namespace {

using interchange::svg_text;

constexpr double kPanelRow = 34, kPanelTop = 26, kPanelGap = 8, kPanelHeight = 148;

struct HostPart {
  const char *classes, *label;
  IntervalSet time;
};

class IterationsPicture {
 public:
  explicit IterationsPicture(const Facts& facts) : facts_(facts) {
    const IterationCauses& causes = facts.causes();
    const auto of = [&](IterationCause cause) { return causes[cause]; };
    std::vector<Interval> blocked;
    for (const LaunchDepth& launch : facts.saturation().launches)
      if (launch.blocked_ns > 0) blocked.push_back(launch.blocked());
    constexpr std::pair<const char*, const char*> kParts[] = {
        {"free", "frees memory"},
        {"malloc", "makes memory"},
        {"setup", "first use and initialisation"},
        {"sync", "waits for the device"},
        {"blocked", "waits for a full queue"},
        {"call", "launch or other call"},
        {"op", "operator"}};
    IntervalSet times[] = {
        of(IterationCause::Free),
        of(IterationCause::DeviceAllocation) | of(IterationCause::HostAllocation),
        of(IterationCause::FirstUse) | of(IterationCause::Initialisation),
        of(IterationCause::Sync),
        IntervalSet(std::move(blocked)),
        time_of(facts.model().calls),
        time_of(facts.model().ops)};
    make_apart(times);
    for (std::size_t i = 0; i < std::size(kParts); ++i)
      parts_.push_back({kParts[i].first, kParts[i].second, std::move(times[i])});
  }

  /// Host above, device below, over this time, with a mark at each call that makes or frees memory.
  void add_panel(const std::string& title, const Interval& window, bool marks_steps) {
    add_panel(title, window, marks_steps, window.length());
  }
  /// The panel has room for `scale_ns`.
  void add_panel(const std::string& title, const Interval& window, bool marks_steps,
                 int64_t scale_ns) {
    const double host = top_ + kPanelTop, device = host + kPanelRow + kPanelGap;
    const double bottom = device + kPanelRow;
    const Axis axis(0, static_cast<double>(scale_ns), kChartLeft, kChartRight);
    const double right = axis.at(static_cast<double>(window.length()));
    std::vector<Part> host_parts;
    for (const HostPart& part : parts_) host_parts.push_back({part.classes, &part.time});
    elements_ += svg_text(kChartLeft, top_ + 6, "title", title) +
                 time_axis_svg(axis, host, bottom) + row_label_svg(host + kPanelRow / 2, "host") +
                 row_label_svg(device + kPanelRow / 2, "device") +
                 stacked_row_svg(host_parts, window, host, kPanelRow, kChartLeft, right);
    if (facts_.device())
      elements_ +=
          stacked_row_svg({{"kernel", &facts_.kernel_time()}, {"copy", &facts_.copy_time()}},
                          window, device, kPanelRow, kChartLeft, right);
    elements_ += call_marks(window, axis, host);
    if (marks_steps)
      for (const ModelStep& step : facts_.model().steps) {
        const double x = axis.at(static_cast<double>(step.time.begin - window.begin));
        if (x - last_mark_ < 3) continue;
        last_mark_ = x;
        elements_ += interchange::svg_line(x, host - 4, x, bottom + 4, "one");
      }
    top_ += kPanelHeight;
  }

  /// A bar for each step: the time in which its calls make memory, and free it.
  void add_bars() {
    const IterationCauses& causes = facts_.causes();
    const IntervalSet& made = causes[IterationCause::DeviceAllocation];
    const IntervalSet& freed = causes[IterationCause::Free];
    int64_t most = 1;
    for (const ModelStep& step : facts_.model().steps) {
      const Interval window{step.time.begin, step.mark_end};
      most = std::max(most, made.length_within(window) + freed.length_within(window));
    }
    constexpr double kBar = 14, kRow = 20;
    const double first = top_ + 18;
    const auto steps = static_cast<double>(facts_.model().steps.size());
    const Axis axis(0, static_cast<double>(most), kChartLeft, kChartRight - 130);
    elements_ +=
        svg_text(kChartLeft, top_ + 6, "title", "Time that makes and frees memory, by step") +
        time_axis_svg(axis, first, first + kRow * steps);
    double top = first + (kRow - kBar) / 2;
    for (const ModelStep& step : facts_.model().steps) {
      const Interval window{step.time.begin, step.mark_end};
      const int64_t making = made.length_within(window), freeing = freed.length_within(window);
      const double end = axis.at(static_cast<double>(making));
      const double last = axis.at(static_cast<double>(making + freeing));
      elements_ += row_label_svg(top + kBar / 2, short_name(step.name, 20)) +
                   interchange::svg_rect(kChartLeft, top, end - kChartLeft, kBar, "malloc") +
                   interchange::svg_rect(end, top, last - end, kBar, "free") +
                   svg_text(last + 7, top + kBar - 3, "", time_words(making + freeing));
      top += kRow;
    }
    top_ = first + kRow * steps + 46;
  }

  PaperFigure figure(std::string title) {
    double x = kChartLeft;
    for (const HostPart& part : parts_)
      if (!part.time.empty()) add_entry(x, part.classes, part.label);
    if (!facts_.kernel_time().empty()) add_entry(x, "kernel", "kernel");
    if (!facts_.copy_time().empty()) add_entry(x, "copy", "copy or fill");
    return {top_ + 12, std::move(title), elements_};
  }

 private:
  /// Of the legend, which goes on in another line when one is full.
  void add_entry(double& x, const char* classes, const char* label) {
    const double width = 46 + 6 * static_cast<double>(std::string_view(label).size());
    if (x + width > kChartRight) {
      x = kChartLeft;
      top_ += 20;
    }
    elements_ +=
        interchange::svg_rect(x, top_ - 9, 12, 12, classes) + svg_text(x + 17, top_ + 1, "", label);
    x += width;
  }

  /// A triangle above the row at each allocator call, at most one of a kind every three pixels.
  std::string call_marks(const Interval& window, const Axis& axis, double row) const {
    std::string marks;
    double last_free = -10, last_made = -10;
    for (const ApiCall& call : facts_.model().calls) {
      if (!is_allocator_call(call.kind) || !window.contains(call.time.begin)) continue;
      const bool is_free = call.kind == ApiKind::Free;
      double& last = is_free ? last_free : last_made;
      const double x = axis.at(static_cast<double>(call.time.begin - window.begin));
      if (x - last < 3) continue;
      last = x;
      marks += fmt::format("<path class=\"{}\" d=\"M{:.1f} {}l-3.5 -7h7z\"/>",
                           is_free ? "free" : "malloc", x, row - 1);
    }
    return marks;
  }

  const Facts& facts_;
  std::vector<HostPart> parts_;
  std::string elements_;
  double top_ = 14, last_mark_ = -10;
};

}  // namespace

PaperFigure figure2(const Facts& facts, std::optional<int64_t> beside) {
  const TraceModel& model = facts.model();
  if (model.calls.empty() && !facts.device()) return {};
  IterationsPicture picture(facts);
  if (model.steps.size() < 2) {
    picture.add_panel("The whole file", model.time, true);
    return picture.figure("Host and device");
  }
  const ModelStep& first = model.steps.front();
  if (beside) {
    const auto found = std::find_if(model.steps.begin(), model.steps.end(),
                                    [&](const ModelStep& step) { return step.number == *beside; });
    if (found == model.steps.end()) throw ValueError("{} has no step {}", model.path, *beside);
    const Interval one{first.time.begin, first.mark_end}, other{found->time.begin, found->mark_end};
    const int64_t scale = std::max(one.length(), other.length());
    for (const auto& [step, window] : {std::pair(&first, one), std::pair(&*found, other)})
      picture.add_panel(step->name + ": " + time_words(window.length()), window, false, scale);
    picture.add_bars();
    return picture.figure("The first iteration and a later one, at one scale");
  }
  const ModelStep& later = *facts.typical_step();
  picture.add_panel(fmt::format("All {} steps", model.steps.size()),
                    {first.time.begin, model.steps.back().mark_end}, true);
  const auto words = [](const char* which, const ModelStep& step) {
    return fmt::format("{}, {}: {}", which, short_name(step.name, 40),
                       time_words(span_of_step(step).length()));
  };
  picture.add_panel(words("The first step", first), span_of_step(first), false);
  picture.add_panel(words("A later one", later), span_of_step(later), false);
  return picture.figure("The first step beside the others");
}

std::string figure2_svg(const TraceModel& model, const Selection& selection,
                        std::optional<int64_t> beside) {
  const Facts facts(model, selection);
  return paper_figure_svg(figure2(facts, beside), model);
}

std::string paper_figure_svg(const PaperFigure& figure, const TraceModel& model) {
  if (figure.elements.empty()) return "";
  constexpr double kTitleHeight = 34;
  const std::string source =
      short_name(file_name(model.path), 60) +
      (model.device_kind == "emulated" ? "; emulated: stated costs, not measurements" : "");
  const std::string elements = svg_text(16, 26, "title", figure.title + " (" + source + ")") +
                               fmt::format("<g transform=\"translate(0 {})\">", kTitleHeight) +
                               figure.elements + "</g>";
  return interchange::svg_file({.width = kChartWidth,
                                .height = kTitleHeight + std::max(40.0, figure.height),
                                .title = figure.title,
                                .rules = std::string(kChartRules) + kPaperRules,
                                .elements = elements});
}

}  // namespace notape::trace
