// `notape verify mutate`.
#pragma once
#include <cstdio>

#include "verify/runner/runner.h"

namespace notape::verify::mutate {

/// `words` are those after `mutate`, `specs` what to plant into beside the specimens. Returns the
/// exit code: 0 the score is met, every baseline mistake found, no false alarm; 5 otherwise. Throws
/// UsageError and UnknownOperator.
int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out,
                std::FILE* err);

}  // namespace notape::verify::mutate
