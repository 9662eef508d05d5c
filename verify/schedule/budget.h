// A run that ends when its time is used, and spends it where risk is.
#pragma once
#include "verify/runner/part_run.h"

namespace notape::verify {

/// Why an operator is checked before others, most urgent first.
enum class Risk : uint8_t {
  Changed,   ///< its file differs from the last commit's
  Failed,    ///< it was red in an earlier run
  Weak,      ///< an earlier run could not decide, or not well
  Survived,  ///< a mistake planted into it was not found
  None,
};
inline constexpr int kRisks = 5;

struct RiskyOperator {
  const OpSpec* spec = nullptr;
  Risk risk = Risk::None;
  double degree = 0;  ///< more goes first, within a risk
};

struct Budget {
  double seconds = 0;
  int most_samples = 0;  ///< per operator and dtype; 0: what there is time for
  std::vector<RiskyOperator> operators = {};
};

struct BudgetedRun {
  std::vector<Certificate> certificates;
  std::vector<std::string> left_out;  ///< "tanh", or "tanh float32": no case was run
};

/// Operators at risk get Options::samples cases, by risk; then the others get few cases in turn,
/// beginning at one that the seed decides; then all get more and more, until the time is used. For
/// a seed only the place where the clock stops it differs from run to run. What is red gets no
/// further cases.
BudgetedRun run_within(const Budget& budget, const Options& options, Listener& listener);

}  // namespace notape::verify
