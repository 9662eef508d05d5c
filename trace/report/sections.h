// The questions of a report, in the order in which it asks them. A section about which the file
// says nothing has a finding that says so, and no figures.
#pragma once
#include "trace/report/facts.h"
#include "trace/report/section.h"

namespace notape::trace {

/// Host threads above, the device below, over a window: shares of each pixel's time.
Figure timeline_figure(const Facts& facts, const Interval& window, std::string id,
                       std::string title);

/// The API calls that are wanted, by name, those that take most time first.
FigureTable call_table(const Facts& facts, FigureTable frame,
                       const std::function<bool(const ApiCall&)>& is_wanted);

/// Is the file trustworthy?
Section trust_section(const Facts& facts);
/// Where does a step's time go?
Section step_time_section(const Facts& facts);
/// Which steps are slow, and why?
Section slow_steps_section(const Facts& facts);
/// Is the host ahead of the device?
Section host_ahead_section(const Facts& facts);
/// How long does an operator take to launch its work?
Section dispatch_section(const Facts& facts);
/// What does memory management cost?
Section allocator_section(const Facts& facts);
/// Is the first step like the others?
Section first_step_section(const Facts& facts);
/// Which operators, kernels and calls take most time?
Section top_section(const Facts& facts);

/// All of them.
std::vector<Section> report_sections(const Facts& facts);

}  // namespace notape::trace
