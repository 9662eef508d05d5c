// Pictures like Figures 1 and 2 of the 2019 PyTorch paper: the host's row above, the device's
// below.
#pragma once
#include <optional>
#include <string>

#include "trace/report/facts.h"

namespace notape::trace {

struct Figure1Options {
  std::optional<int64_t> step;  ///< its number; else that in which the host is furthest ahead
  std::string from;             ///< a regular expression: the first op whose name it is found in
  int64_t ops = 12;             ///< so many device operations
};

/// Elements in the classes of kChartRules and kPaperRules; none if the file has nothing to show.
struct PaperFigure {
  double height = 0;
  std::string title;
  std::string elements;
};

/// Some operators of a step and what they launch, paired by colour and a line.
/// Throws ValueError for a step that the file has not, and for a regular expression that is none or
/// fits no op.
PaperFigure figure1(const Facts& facts, const Figure1Options& options);
/// The first iteration beside the others: allocator calls, first use, waits, device work.
PaperFigure figure2(const Facts& facts, std::optional<int64_t> beside = {});

/// The same as SVG files that stand alone, of the selected device and steps; empty if there is
/// nothing to show.
std::string figure1_svg(const TraceModel& model, const Figure1Options& options = {},
                        const Selection& selection = {});
/// With `beside`: the first step and the one of this number at one time scale, and for each step
/// the time in which its calls make and free memory.
std::string figure2_svg(const TraceModel& model, const Selection& selection = {},
                        std::optional<int64_t> beside = {});
/// A figure as such a file, or empty.
std::string paper_figure_svg(const PaperFigure& figure, const TraceModel& model);

extern const char* const kPaperRules;

}  // namespace notape::trace
