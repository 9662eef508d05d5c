#include "trace/analysis/figure_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/error.h"
#include "autograd/interchange/markup.h"
#include "autograd/interchange/svg.h"

namespace notape::trace {
namespace {

using interchange::svg_line;
using interchange::svg_rect;
using interchange::svg_text;

constexpr double kFigureWidth = 1000, kSide = 16, kBar = 18;
constexpr double kHostTop = 76, kGpuTop = 150;

constexpr const char* kFigureRules =
    R"(.host { fill: var(--blue-soft); stroke: var(--blue); stroke-width: .6; }
.launch { fill: var(--blue); }
.gpu { fill: var(--teal-soft); stroke: var(--teal); stroke-width: .6; }
.cause { fill: var(--orange); }
.axis { stroke: var(--quiet); }
.link { stroke: var(--orange); stroke-width: .8; opacity: .7; }
)";

const Table* find_table(const Report& report, std::string_view name) {
  for (const Table& table : report.tables)
    if (table.name == name) return &table;
  return nullptr;
}

/// A bar that says what it is when one points at it.
std::string told_bar(double x, double y, double width, const char* classes,
                     const std::string& text) {
  return fmt::format("<g><title>{}</title>{}</g>", interchange::escaped(text),
                     svg_rect(x, y, std::max(.5, width), kBar, classes));
}

}  // namespace

std::string queue_ahead_svg(const Report& report) {
  const Table* const table = find_table(report, "first ops");
  if (!table || table->rows.empty())
    throw ValueError(
        "a picture of Figure 1 needs one step with GPU ops: give its number, --step K");
  double last_us = 0;
  for (const auto& row : table->rows) last_us = std::max(last_us, row[6].number());
  const double scale = (kFigureWidth - 2 * kSide) / std::max(last_us, 1e-3);
  const auto x = [&](const Value& us) { return kSide + scale * us.number(); };
  std::string elements = svg_text(kSide, 26, "title", report.title);
  if (const Metric* corrected = report.find("queue_ahead.corrected"))
    elements +=
        svg_text(kSide, 46, "",
                 fmt::format("GPU time over host time: {}; without blocked launch calls {}",
                             report["queue_ahead.raw"].value.shown(), corrected->value.shown()));
  elements += svg_text(kSide, kHostTop - 6, "", "host: ops, and launch calls in them");
  elements += svg_text(kSide, kGpuTop + kBar + 16, "", "GPU");
  std::string links;
  for (const auto& row : table->rows) {
    if (!row[0].is_nothing())
      elements += told_bar(x(row[1]), kHostTop, x(row[2]) - x(row[1]), "host",
                           row[0].text() + ", " + row[1].shown() + " to " + row[2].shown() + " us");
    links += svg_line(x(row[4]), kHostTop + kBar, x(row[5]), kGpuTop, "link");
  }
  for (const auto& row : table->rows) {
    elements += told_bar(x(row[3]), kHostTop, x(row[4]) - x(row[3]), "launch", "launch");
    elements += told_bar(x(row[5]), kGpuTop, x(row[6]) - x(row[5]), "gpu",
                         row[7].shown() + ", " + row[5].shown() + " to " + row[6].shown() + " us");
  }
  elements += links;
  elements +=
      svg_text(kFigureWidth - kSide, kGpuTop + kBar + 16, "end", fmt::format("{:.3f} us", last_us));
  return interchange::svg_file({.width = kFigureWidth,
                                .height = kGpuTop + kBar + 30,
                                .title = report.title,
                                .rules = kFigureRules,
                                .elements = elements});
}

std::string first_iteration_svg(const Report& report) {
  const Table* const table = find_table(report, "excess by cause");
  if (!table) throw ValueError("a picture of Figure 2 needs two steps or more");
  constexpr double kNames = 150, kRowHeight = 2 * kBar + 14, kNumbers = 240;
  double most_us = 1e-3;
  for (const auto& row : table->rows)
    for (const std::size_t column : {std::size_t{1}, std::size_t{3}})
      if (!row[column].is_nothing()) most_us = std::max(most_us, row[column].number());
  const double scale = (kFigureWidth - kNames - kNumbers - 2 * kSide) / most_us;
  std::string elements = svg_text(kSide, 26, "title", report.title);
  elements += svg_text(kSide, 46, "",
                       fmt::format("iteration 0: {} us, the others {} us; by cause, and below each "
                                   "the GPU's idle time in it",
                                   report["first_iteration.time"].value.shown(),
                                   report["first_iteration.steady_time"].value.shown()));
  double top = 64;
  for (const auto& row : table->rows) {
    if (row[0].text().starts_with("allocator.")) continue;  // parts of another row
    const auto bar = [&](const Value& us, const char* classes, double y) {
      const double width = scale * std::max(0.0, us.number());
      elements += svg_rect(kSide + kNames, y, std::max(.5, width), kBar, classes);
      elements += svg_text(kSide + kNames + width + 6, y + 13, "", us.shown() + " us");
    };
    elements += svg_text(kSide, top + 13, "", row[0].text());
    bar(row[1], "cause", top);
    if (!row[3].is_nothing()) bar(row[3], "gpu", top + kBar + 2);
    top += kRowHeight;
  }
  return interchange::svg_file({.width = kFigureWidth,
                                .height = top + 10,
                                .title = report.title,
                                .rules = kFigureRules,
                                .elements = elements});
}

}  // namespace notape::trace
