// Urgency: the operators with which a run with little time begins.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

/// Why an operator goes before others, most urgent first.
enum class Urgency : uint8_t {
  Changed,  ///< its file differs from the last commit's
  Failed,   ///< it was red in an earlier run
  Weak,     ///< an earlier run could not decide, or not well
  None,
};

struct UrgentOperators {
  /// The most urgent first. The others follow in their order, but for the seed, which says where
  /// that begins: where time is always short, other seeds get to other operators.
  SpecList order;
  std::string text;  ///< "2 changed (tanh, mm); 1 failed before (exp); 288 others"
};

/// `changed`: files that differ from the last commit's; `earlier`: certificates of an earlier run.
UrgentOperators by_urgency(const SpecList& specs, const std::vector<std::string>& changed,
                           const std::vector<Record>& earlier, const Options& options);

}  // namespace notape::verify
