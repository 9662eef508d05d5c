// `notape verify alias`.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

namespace notape::verify::alias {

/// `words` are those after `alias`. Returns the exit code: 0 all is well, 1 a program was silently
/// wrong, an error was missing or changed something, 5 more false rejections than allowed, 6 a
/// crash. Throws UsageError.
int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err);

}  // namespace notape::verify::alias
