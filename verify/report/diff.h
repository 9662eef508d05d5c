// Two runs compared, check by check.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

struct Difference {
  /// A line per check each; of lost coverage, one or two per operator.
  std::vector<std::string> new_reds, lost_power, lost_coverage, slower, fixed;
};

/// Lost power: a PASS that could not decide any more, or could now miss an error twice as large.
/// Lost coverage: a check that is gone, or makes less than half the comparisons. Slower: twice the
/// time, and at least 0.1 s more.
Difference compare_runs(const std::vector<Record>& then, const std::vector<Record>& now,
                        const Gates& gates = {});
std::string text_of(const Difference& difference);
/// 1 for new reds, else 3 for lost power, else 5 for lost coverage, else 0.
int exit_code_of(const Difference& difference);

}  // namespace notape::verify
