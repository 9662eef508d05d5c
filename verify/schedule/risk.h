// Risk: what earlier runs and git say about operators, for a run whose time is short.
#pragma once
#include "verify/report/record.h"
#include "verify/schedule/budget.h"

namespace notape::verify {

/// What is known; all of it may be missing.
struct EarlierEvidence {
  std::vector<std::string> changed = {};      ///< files that differ from the last commit's
  std::vector<Record> earlier = {};           ///< certificates of an earlier run
  std::map<std::string, double> killed = {};  ///< share of planted mistakes found, by operator
};

/// In the order of `specs`. The most urgent reason counts.
std::vector<RiskyOperator> risks_of(const SpecList& specs, const EarlierEvidence& known,
                                    const Gates& gates);
/// "2 changed (tanh, mm), 1 failed before (exp), ...": who went first.
std::string risks_text(const std::vector<RiskyOperator>& operators);
/// operators.NAME.killed / wrong of mutation.json. Throws BadMutationFile.
std::map<std::string, double> read_kill_rates(const std::string& path);

/// A file that is no result of `notape verify mutate`.
struct BadMutationFile : ErrorOf<"BadMutationFile"> {
  using ErrorOf::ErrorOf;
};

}  // namespace notape::verify
