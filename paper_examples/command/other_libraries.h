// Which other libraries `notape latency` measures, and where they are.
#pragma once
#include <string>
#include <vector>

#include "trace/latency/other_library.h"

namespace notape::command {

struct OtherLibraryWords {
  std::vector<std::string> against;   ///< "libtorch", "pytorch", "all"
  std::vector<std::string> programs;  ///< with LibTorch; empty: those beside this command
  std::vector<std::string> pythons;   ///< empty: NOTAPE_TORCH_PYTHON, or python3
};

/// Throws ValueError for a path that is named and cannot be run. Programs or a Python that are
/// named are measured without --against, too. A kind that is asked for and not found is in the
/// list, with the reason.
std::vector<trace::OtherLibrary> other_libraries(const OtherLibraryWords& words);

}  // namespace notape::command
