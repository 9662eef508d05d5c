// `notape verify atlas`.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "verify/runner/runner.h"

namespace notape::verify::atlas {

/// `words` are those after `atlas`; `specs` must have a row for every kink they declare. Returns
/// the exit code: 0 all is well, 1 a disagreement or a kink without a row. Throws UsageError, and
/// UnknownOperator for a selector that matches nothing.
int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out);

}  // namespace notape::verify::atlas
