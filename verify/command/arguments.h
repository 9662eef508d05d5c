// The words of `notape verify`, parsed.
#pragma once
#include "autograd/error.h"
#include "verify/report/formats.h"

namespace notape::verify {

/// A command line that makes no sense: one line, exit code 2.
using UsageError = ErrorOf<"UsageError">;

struct Arguments {
  enum class Action { Run, List, Help };
  Action action = Action::Run;
  std::string help;
  std::vector<std::string> selectors;
  Options options;
  std::vector<Format> formats;
  std::string out;  ///< directory; empty for none
  bool quiet = false;
};

/// Throws UsageError. `rc_params` is RapidCheck's environment variable: `seed=` and `max_success=`
/// in it count where the command line says nothing.
Arguments parse_arguments(std::vector<std::string> words, const char* rc_params = nullptr);

}  // namespace notape::verify
