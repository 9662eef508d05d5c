// The walk over operators, on this process or several.
#pragma once
#include "verify/runner/runner.h"

namespace notape::verify {

/// All certificates, in order, whatever the number of jobs. With jobs a crash is a verdict.
std::vector<Certificate> run(const SpecList& specs, const Options& options, Listener& listener);

}  // namespace notape::verify
