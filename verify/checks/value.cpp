// value: the result against the reference in 113 bits, evaluated on exactly the same inputs.
// The radius is what one-ulp jitter of the inputs does to the reference (eight reruns, x times
// 1 + xi eps), plus a few roundings of the result itself.
#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/comparer.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

bool judges_entries_alone(const Subject& subject) {
  return subject.is_elementwise() || subject.drawn.op.reference.is_elementwise;
}

/// How far jitter moves each entry: its own worst case, or where entries mix that of all.
std::vector<Wide> spread(const Subject& subject, const WideTensor& reference) {
  std::vector<Wide> result(reference.values.size(), 0);
  for (int round = 0; round < kInputJitters; ++round) {
    const WideTensor moved =
        subject.reference(jittered(subject.drawn, epsilon_of(subject.dtype), round));
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Wide distance = magnitude(moved.values[i] - reference.values[i]);
      if (is_finite(distance)) result[i] = std::max(result[i], distance);
    }
  }
  if (!judges_entries_alone(subject) && !result.empty())
    std::fill(result.begin(), result.end(), *std::max_element(result.begin(), result.end()));
  return result;
}

Outcome judge_value(const Subject& subject) {
  const NoGradGuard no_grad;
  const Tensor output = subject.drawn.op.call(subject.inputs(0));
  const WideTensor reference = subject.reference(subject.wide());
  Comparer comparer(subject);
  if (output.sizes().vec() != reference.sizes) {
    comparer.fail(Verdict::Fail, "shape",
                  format_message("the result has size {}, the reference {}",
                                 {to_string(output.sizes()), to_string(reference.sizes)}));
    return comparer.finish("", "");
  }
  if (output.is_floating_point() && !subject.real_arguments().empty() &&
      output.dtype() != subject.dtype)
    comparer.fail(Verdict::Fail, "dtype",
                  format_message("the result is {}", {name_of(output.dtype())}));
  const Numbers got = numbers_of(output);
  const auto jitter = spread(subject, reference);
  const Wide epsilon = epsilon_of(subject.dtype);
  Wide largest = 0;
  for (const Wide& value : reference.values)
    if (is_finite(value)) largest = std::max(largest, magnitude(value));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Wide size = judges_entries_alone(subject) ? magnitude(reference.values[i]) : largest;
    const Wide radius = Wide(kNoiseFactor) * jitter[i] +
                        Wide(rounding_factor(subject.dtype)) * epsilon * size +
                        Wide(smallest_of(subject.dtype));
    // Where terms cancel, their size is what jitter in the last place of the inputs shows.
    comparer.within("output", reference.sizes, i, reference.values[i], got[i],
                    output.is_floating_point() ? radius : Wide(0),
                    std::max(size, jitter[i] / epsilon));
  }
  return comparer.finish("value", "the result differs from the reference");
}

/// What the operator gives besides, as an operator of its own, which has no derivative.
Outcome judge_beside(const Subject& subject) {
  DrawnCase drawn = subject.drawn;
  drawn.op.call = drawn.op.beside;
  drawn.op.reference = drawn.op.beside_reference;
  const Subject beside(subject.spec, drawn, subject.dtype, subject.device);
  if (beside.drawn.op.call(beside.inputs()).requires_grad())
    return Outcome::of(Verdict::Fail, "beside", "a result that has no derivative requires grad");
  return judge_value(beside);
}

}  // namespace

Outcome check_value(const Subject& subject) {
  const Outcome outcome = judge_value(subject);
  return is_red(outcome.verdict) || !subject.drawn.op.beside ? outcome : judge_beside(subject);
}

}  // namespace notape::verify
