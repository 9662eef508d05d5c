// The words of `notape verify`, parsed.
#pragma once
#include "verify/processes/child.h"
#include "verify/processes/usage_error.h"
#include "verify/report/formats.h"

namespace notape::verify {

struct Arguments {
  enum class Action { Run, List, Help };
  Action action = Action::Run;
  std::string help;
  std::vector<std::string> selectors;
  std::string plugin;  ///< a shared library whose operators are meant; empty for the built-in ones
  ChildLimits limits;  ///< of the child that runs an operator of a plugin
  Options options;
  std::vector<Format> formats;
  std::string out;  ///< directory; empty for none
  bool quiet = false;
  bool any_dtype = true;  ///< none was named
  bool fresh_seed = false;
  int threads = 0;  ///< 0: as it is
  std::string history;
};

/// Throws UsageError. `rc_params` is RapidCheck's environment variable: `seed=` and `max_success=`
/// in it count where the command line says nothing.
Arguments parse_arguments(std::vector<std::string> words, const char* rc_params = nullptr);

}  // namespace notape::verify
