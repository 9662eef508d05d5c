// A timeline as Chrome trace JSON in the dialect of PyTorch's profiler: one event per line, times
// in microseconds with three decimals since `baseTimeNanoseconds`.
#pragma once
#include "trace/write/timeline.h"

namespace notape::trace {

/// Writes the recording to `path`, which must end in ".json" or, compressed, ".json.gz".
/// Throws ValueError for another name and FileError if it cannot be written.
void write_chrome_trace(const Recording& recording, const Timeline& timeline,
                        const std::string& path);

/// Whether the name is one that trace readers accept.
bool is_trace_path(std::string_view path);

}  // namespace notape::trace
