// The curves of a latency report as a picture.
#pragma once
#include <string>

#include "trace/latency/latency.h"

namespace notape::trace {

/// An SVG file: time per operation over size, both logarithmic; a panel per class if there are
/// other libraries, else one with all classes. A circle is where work begins to outweigh dispatch.
std::string latency_curve_svg(const LatencyReport& report);

}  // namespace notape::trace
