// The 2019 paper's Figures 1 and 2 as pictures of any trace, from the reports that have the
// numbers.
#pragma once
#include <string>

#include "trace/analysis/report.h"

namespace notape::trace {

/// Of a queue_ahead() report of one step: when the host ran and launched the first ops, above when
/// the GPU did. Throws ValueError for a report of several steps or of none.
std::string queue_ahead_svg(const Report& report);
/// Of a first_iteration() report: what each cause contributes to the first iteration's excess, and
/// how long the GPU was idle meanwhile. Throws ValueError for a report without an excess.
std::string first_iteration_svg(const Report& report);

}  // namespace notape::trace
