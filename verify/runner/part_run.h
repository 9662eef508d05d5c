// PartRun: the cases of one operator in one dtype, through every check.
#pragma once
#include "verify/runner/runner.h"

namespace notape::verify {

/// So many cases of an operator in a dtype; a few more where a check of an operator of the library
/// has had nothing to compare in all these.
struct Slice {
  const OpSpec* spec = nullptr;
  ScalarType dtype = kFloat64;
  int cases = 0;
};

/// What is known to end the process.
struct Crash {
  static constexpr int kMakingTheCase = -1;
  int number = 0;              ///< of the case
  int check = kMakingTheCase;  ///< in all_checks()
  std::string how = {};        ///< "SIGSEGV"
  std::string code = {};       ///< replays the case; empty if that was not made yet
};

/// All checks on the cases of a slice. A known crash is a verdict, and not run into. A certificate
/// per check, not concluded: see conclude().
Part run_slice(const Slice& slice, const Options& options, Listener& listener,
               const std::vector<Crash>& crashes = {});
/// All that is known of the rest of a slice.
Part crashed_part(const Slice& slice, const Options& options, const Crash& crash);
/// Leaves out checks that had no case, and judges what only all cases together can show.
void conclude(Part& part, const Options& options);

}  // namespace notape::verify
