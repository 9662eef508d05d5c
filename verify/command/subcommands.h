// The commands of `notape verify` that have a world of their own. `words` are those after the
// command's name; each returns the exit code, and throws UsageError, and UnknownOperator for a
// selector that matches nothing.
#pragma once
#include <cstdio>

#include "verify/runner/runner.h"

namespace notape::verify::alias {
/// 0 all is well, 1 a program was silently wrong, an error was missing or changed something, 5 more
/// false rejections than allowed, 6 a crash.
int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err);
}  // namespace notape::verify::alias

namespace notape::verify::atlas {
/// `specs` must have a row for every kink they declare. 0 all is well, 1 a disagreement or a kink
/// without a row.
int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out);
}  // namespace notape::verify::atlas

namespace notape::verify::corpus {
/// 0 the verifier is calibrated, 1 a false alarm, a miss, a contradicted power or too many checks
/// undecided, 6 a crash.
int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err);
}  // namespace notape::verify::corpus

namespace notape::verify::engines {
/// 0 every algorithm is right, 1 one is not, 4 one gives other bits although it says that it does
/// not, 5 there is no cuDNN or no device.
int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err);
}  // namespace notape::verify::engines

namespace notape::verify::exhaustive {
/// 0 every number is right, 1 one is not, 5 nothing was walked, 6 a crash.
int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out,
                std::FILE* err);
}  // namespace notape::verify::exhaustive

namespace notape::verify::mutate {
/// `specs`: what to plant into beside the specimens. 0 the score is met, every baseline mistake
/// found, no false alarm; 5 otherwise.
int run_command(std::vector<std::string> words, const SpecList& specs, std::FILE* out,
                std::FILE* err);
}  // namespace notape::verify::mutate

namespace notape::prove {
/// 0 nothing is refuted, 1 a rule is, 5 this build has no Arb.
int run_command(std::vector<std::string> words, const verify::SpecList& specs, std::FILE* out,
                std::FILE* err);
}  // namespace notape::prove
