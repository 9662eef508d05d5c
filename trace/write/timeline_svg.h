// A timeline as a picture: a row of slices per depth of nesting, threads below each other, and a
// line from each operator to the backward node that it recorded.
#pragma once
#include <string>

#include "trace/write/timeline.h"

namespace notape::trace {

/// An SVG file that stands alone. It shows the time from the first operator or node to the last;
/// stretches without any that would take much of the width are cut, and marked with their length.
/// Slices too short to see are left out and counted.
std::string timeline_svg(const Timeline& timeline, const std::string& title);
/// The same into a file. Throws ValueError unless its name ends in ".svg", FileError if it cannot
/// be written.
void write_timeline_svg(const Timeline& timeline, const std::string& title,
                        const std::string& path);

}  // namespace notape::trace
