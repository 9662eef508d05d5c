// Where there is no reference a NaN value would only leave the derivatives undecided.
#include "verify/checks/shared_questions.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"

namespace notape::verify {

namespace {

bool has_finite_inputs(const Subject& subject) {
  const auto is_number = [](double value) { return std::isfinite(value); };
  return std::all_of(subject.drawn.arguments.begin(), subject.drawn.arguments.end(),
                     [&](const DrawnArgument& one) {
                       return std::all_of(one.values.begin(), one.values.end(), is_number);
                     });
}

}  // namespace

bool is_nan_inside_domain(const Subject& subject) {
  const Numbers& values = subject.base().output;
  return has_finite_inputs(subject) &&
         std::any_of(values.begin(), values.end(), [](double one) { return std::isnan(one); });
}

Outcome check_finite(const Subject& subject) {
  const NoGradGuard no_grad;
  const Tensor output = subject.drawn.op.call(subject.inputs(0));
  const Numbers values = numbers_of(output);
  Outcome outcome;
  outcome.comparisons = static_cast<int64_t>(values.size());
  if (!has_finite_inputs(subject)) return outcome;  // nobody says what should become of those
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
