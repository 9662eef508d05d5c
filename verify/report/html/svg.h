// The pictures of reports: as SVG elements that stand inside the HTML page, and as files. Colours
// come from rules by class (style.cpp).
#pragma once
#include "verify/report/ladder_view.h"
#include "verify/report/summary.h"

namespace notape::verify {

/// Error against step, both logarithmic: how the numeric slope settles, how far the leg under test
/// is from it, and how far it may be.
std::string ladder_svg(const LadderView& view, const std::string& under_test);
/// The same as a file of its own, under its title.
std::string ladder_picture(const LadderView& view, const std::string& under_test,
                           const std::string& title);

/// One operator's detectable errors on the common logarithmic axis, a dot per dtype.
std::string power_svg(const OperatorSummary& one);
/// The labels of that axis.
std::string power_axis_svg();

}  // namespace notape::verify
