// Slices on one process or several, with the same results.
#pragma once
#include <string>

#include "verify/runner/part_run.h"

namespace notape::verify {

/// What an operator's slice in a dtype is called among Shards: "tanh float64".
std::string slice_name(const OpSpec& spec, ScalarType dtype);

/// Runs the slices, on Options::jobs workers if there are any, and hands their parts to `done` in
/// order. `done` returns false to leave the rest, as an Interruption does; of its slice failures
/// are kept. On workers a crash becomes an ERROR verdict of the check that was running; the slice's
/// other checks and the other slices still run.
void run_slices(const std::vector<Slice>& slices, const Options& options, Listener& listener,
                const std::function<bool(std::size_t slice, Part part)>& done);

}  // namespace notape::verify
