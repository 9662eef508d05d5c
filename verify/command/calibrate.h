// `notape verify calibrate`.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

namespace notape::verify::corpus {

/// `words` are those after `calibrate`. Returns the exit code: 0 the verifier is calibrated; 1 a
/// false alarm, a miss, a contradicted power or too many checks undecided; 6 a crash. Throws
/// UsageError and UnknownOperator.
int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err);

}  // namespace notape::verify::corpus
