// The walk over operators, on this process or several.
#pragma once
#include "verify/runner/runner.h"

namespace notape::verify {

/// All certificates, in order, whatever the number of jobs. With jobs a crash is a verdict.
/// Operators that were not reached when Options::seconds are over are left out.
std::vector<Certificate> run(const SpecList& specs, const Options& options, Listener& listener);

}  // namespace notape::verify
