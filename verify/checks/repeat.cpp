// repeat: the same call gives the same bits; so does a second backward over a retained graph; two
// backward passes accumulate exactly twice the gradient; the gradient is linear in the incoming
// one.
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/check.h"
#include "verify/checks/comparer.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

Numbers scaled(Numbers numbers, double factor) {
  for (double& number : numbers) number *= factor;
  return numbers;
}

Run scaled(Run run, double factor) {
  for (Numbers& gradient : run.gradients) gradient = scaled(gradient, factor);
  return run;
}

/// The gradients that `.backward()`, called `times` times, leaves in `.grad`.
Run accumulated(const Subject& subject, int times) {
  const variable_list inputs = subject.inputs();
  const Tensor output = subject.drawn.op.call(inputs);
  for (int i = 0; i < times; ++i) output.backward(subject.incoming_tensor(), true);
  Run result{output.sizes().vec(), numbers_of(output), std::vector<Numbers>(inputs.size()),
             std::vector<bool>(inputs.size(), false)};
  for (std::size_t a : subject.real_arguments()) {
    if (!inputs[a].grad().defined()) continue;
    result.defined[a] = true;
    result.gradients[a] = numbers_of(inputs[a].grad());
  }
  return result;
}

void check_bits(const Subject& subject, Comparer& comparer) {
  const Run again = subject.run(subject.inputs(), subject.incoming_tensor());
  Comparer same(subject);
  same.same("output", subject.base().sizes, subject.base().output, again.output);
  same.same_gradients(subject, subject.base(), again);
  const Outcome outcome = same.finish("", "");
  if (same.failed())
    comparer.fail(Verdict::Nondeterministic, "bits",
                  "equal calls give different bits: " + outcome.guilty.value_or(Guilty()).where);
}

/// J^T (v + w) = J^T v + J^T w up to rounding.
void check_sum(const Subject& subject, Comparer& comparer) {
  Numbers even = subject.incoming(), odd = even;
  for (std::size_t i = 0; i < even.size(); ++i) (i % 2 ? even : odd)[i] = 0;
  const Run a = subject.run(subject.inputs(), subject.output_tensor(even));
  const Run b = subject.run(subject.inputs(), subject.output_tensor(odd));
  for (std::size_t argument : subject.real_arguments()) {
    if (!subject.base().defined[argument] || !a.defined[argument] || !b.defined[argument]) continue;
    const Numbers& whole = subject.base().gradients[argument];
    const Numbers &left = a.gradients[argument], &right = b.gradients[argument];
    const Numbers noise = subject.gradient_noise(argument);
    double largest = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
      largest = std::max(largest, std::abs(left[i]) + std::abs(right[i]) + noise[i]);
    const double radius = rounding_factor(subject.dtype) * epsilon_of(subject.dtype) * largest +
                          smallest_of(subject.dtype);
    for (std::size_t i = 0; i < whole.size(); ++i)
      comparer.within(format_message("gradient of argument {} as a sum, at ", {argument}),
                      subject.drawn.arguments[argument].argument.sizes, i,
                      Wide(left[i]) + Wide(right[i]), whole[i],
                      Wide(radius + kNoiseFactor * noise[i]), Wide(largest));
  }
}

}  // namespace

Outcome check_repeat(const Subject& subject) {
  Comparer comparer(subject);
  check_bits(subject, comparer);
  if (comparer.failed()) return comparer.finish("bits", "");
  const Run& base = subject.base();
  comparer.same("output", base.sizes, base.output, subject.run(subject.inputs(0), Tensor()).output);
  if (!subject.is_differentiable() || comparer.failed()) return comparer.finish("bits", "");
  comparer.same_gradients(subject, base, accumulated(subject, 1));
  comparer.same_gradients(subject, scaled(base, 2), accumulated(subject, 2));
  for (double factor : {2.0, -1.0, 0.0})
    comparer.same_gradients(
        subject, scaled(base, factor),
        subject.run(subject.inputs(), subject.output_tensor(scaled(subject.incoming(), factor))),
        kAllArguments, Wide(smallest_of(subject.dtype)));
  check_sum(subject, comparer);
  return comparer.finish("linear",
                         "the gradient is not linear in the incoming gradient, or "
                         "accumulates wrongly");
}

}  // namespace notape::verify
