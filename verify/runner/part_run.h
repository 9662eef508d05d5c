// PartRun: some cases of one operator in one dtype, through every check. Runs of different cases
// can be merged.
#pragma once
#include <chrono>

#include "verify/runner/runner.h"

namespace notape::verify {

using Clock = std::chrono::steady_clock;

/// Cases `from` up to `to` of an operator in a dtype; a few more where a check of an operator of
/// the library has had nothing to compare in all these.
struct Slice {
  const OpSpec* spec = nullptr;
  ScalarType dtype = kFloat64;
  int from = 0, to = 0;
  bool is_whole = false;  ///< no other slice has more cases
};

/// What is known to end the process.
struct Crash {
  static constexpr int kMakingTheCase = -1;
  int number = 0;              ///< of the case
  int check = kMakingTheCase;  ///< in all_checks()
  std::string how = {};        ///< "SIGSEGV"
  std::string code = {};       ///< replays the case; empty if that was not made yet
};

/// All checks on the cases of a slice, as far as the time goes. A known crash is a verdict, and not
/// run into. A certificate per check, not concluded: see conclude().
Part run_slice(const Slice& slice, const Options& options, Listener& listener,
               const std::vector<Crash>& crashes = {},
               Clock::time_point deadline = Clock::time_point::max());
/// The part of a slice of which nothing is known but this.
Part crashed_part(const Slice& slice, const Options& options, const Crash& crash);
/// Adds what other cases of the same operator and dtype gave.
void merge(Part& part, Part more);
/// Leaves out what no case was for, and judges what only all cases together can tell.
void conclude(Part& part, const Options& options);

}  // namespace notape::verify
