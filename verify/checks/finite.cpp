// Where there is no reference a NaN value would only leave the derivatives undecided.
#include "verify/checks/finite.h"

#include <cmath>

#include "autograd/modes/grad_mode.h"

namespace notape::verify {

Outcome check_finite(const Subject& subject) {
  const NoGradGuard no_grad;
  const Tensor output = subject.drawn.op.call(subject.inputs(0));
  const Numbers values = numbers_of(output);
  Outcome outcome;
  outcome.comparisons = static_cast<int64_t>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) continue;
    outcome.verdict = Verdict::Nonfinite;
    outcome.reason = "nan";
    outcome.message = format_message("the value is NaN at output{}, inside the declared domain",
                                     {coordinates(output.sizes().vec(), i)});
    break;
  }
  return outcome;
}

}  // namespace notape::verify
