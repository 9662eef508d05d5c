#include "verify/same_function.h"

#include <rapidcheck.h>

#include <algorithm>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/spec/joined_results.h"
#include "verify/checks/comparer.h"
#include "verify/functions/function_report.h"
#include "verify/functions/function_row.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

constexpr const char* kOrders[] = {"same-value", "same-gradient", "same-second-order"};

/// x -> the gradients of <v, f(x)> with respect to those of `inputs` that require grad, themselves
/// differentiable; v is the same for every f.
TensorFunction gradient_of(const TensorFunction& f, const variable_list& inputs) {
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].requires_grad()) active.push_back(i);
  return [f, active](variable_list x) {
    const EnableGradGuard recording;
    variable_list leaves;
    for (std::size_t i : active) {
      if (!x[i].requires_grad()) x[i] = x[i].detach().requires_grad_(true);
      leaves.push_back(x[i]);
    }
    const Tensor output = joined_results(f(x)).reshape({-1});
    const Tensor v = linspace(0.5, 1.5, output.numel(), dtype(output.dtype()));
    variable_list gradients = autograd::grad({(output * v).sum()}, leaves, {}, true, true, true);
    for (std::size_t i = 0; i < gradients.size(); ++i)
      if (!gradients[i].defined()) gradients[i] = zeros_like(leaves[i]);
    return gradients;
  };
}

/// Entries of `got` against those of `expected` with this noise.
void compare(const Subject& subject, Comparer& comparer, const std::string& where,
             const Numbers& expected, const Numbers& got, const Numbers& noise) {
  if (got.size() != expected.size())
    return comparer.fail(Verdict::Fail, "shape", where + " has another size");
  const EntryRadius allowed(subject.dtype, expected, noise);
  for (std::size_t i = 0; i < expected.size(); ++i)
    comparer.within(where, {static_cast<int64_t>(expected.size())}, i, Wide(expected[i]), got[i],
                    Wide(allowed.radius), Wide(allowed.largest));
}

DrawnCase simplest_case(const FunctionRow& row) {
  ChoiceDraw draw{Choices{}};
  return draw_case(row.spec(), draw, row.dtype());
}

/// Values (order 0) and gradients (order 1) of f and g at one point.
void compare_at(const TensorFunction& f, const TensorFunction& g, const variable_list& inputs,
                Comparer* value, Comparer& gradient) {
  const FunctionRow left(f, inputs, {}), right(g, inputs, {});
  const DrawnCase drawn_left = simplest_case(left), drawn_right = simplest_case(right);
  const Subject ours(left.spec(), drawn_left, left.dtype(), left.device());
  const Subject theirs(right.spec(), drawn_right, right.dtype(), right.device());
  if (value)
    compare(theirs, *value, "output ", theirs.base().output, ours.base().output,
            theirs.output_noise());
  const auto or_zeros = [](const Subject& subject, std::size_t a, auto numbers) {
    return subject.base().defined[a] ? numbers()
                                     : Numbers(subject.drawn.arguments[a].values.size());
  };
  for (std::size_t a : theirs.real_arguments())
    compare(theirs, gradient, format_message("gradient of argument {} at ", {a}),
            or_zeros(theirs, a, [&] { return theirs.base().gradients[a]; }),
            or_zeros(ours, a, [&] { return ours.base().gradients[a]; }),
            or_zeros(theirs, a, [&] { return theirs.gradient_noise(a); }));
}

}  // namespace

Report same_function(const TensorFunction& f, const TensorFunction& g,
                     const rc::Gen<variable_list>& inputs) {
  const auto subject = std::make_shared<OpSpec>();
  subject->name = subject->family = "function";
  subject->at = {};
  const auto dtype_of = [](const variable_list& x) {
    for (const Tensor& input : x)
      if (input.requires_grad()) return input.dtype();
    return kFloat64;
  };
  std::vector<Comparer> comparers;
  std::vector<variable_list> wrong(
      std::size(kOrders));  // the inputs at which each order failed first
  for (int i = 0; i < kSameFunctionSamples; ++i) {
    const variable_list x =
        inputs(rc::Random(rc::Random::Key{1, 2, 3, static_cast<uint64_t>(i)})).value();
    if (comparers.empty()) {
      const double gate = std::max(power_gate(dtype_of(x)), kQuickPowerGate);
      comparers.assign(std::size(kOrders), Comparer(dtype_of(x), gate));
    }
    compare_at(f, g, x, &comparers[0], comparers[1]);
    if (!comparers[1].failed())
      compare_at(gradient_of(f, x), gradient_of(g, x), x, nullptr, comparers[2]);
    for (std::size_t order = 0; order < std::size(kOrders); ++order)
      if (comparers[order].failed() && wrong[order].empty()) wrong[order] = x;
    if (comparers[0].failed() || comparers[1].failed() || comparers[2].failed()) break;
  }
  std::vector<Certificate> certificates;
  for (std::size_t order = 0; order < std::size(kOrders); ++order) {
    Outcome outcome = comparers[order].finish("value", "the two functions differ");
    Certificate certificate{
        .spec = subject.get(), .check = kOrders[order], .dtype = dtype_of(wrong[order])};
    certificate.cases = kSameFunctionSamples;
    certificate.comparisons = outcome.comparisons;
    certificate.unresolved = outcome.unresolved;
    certificate.detectable = outcome.detectable;
    certificate.verdict = outcome.verdict;
    if (is_red(outcome.verdict)) {
      certificate.failure = Exhibit{.outcome = std::move(outcome)};
      for (const Tensor& input : wrong[order]) certificate.failure->inputs.push_back(show(input));
    }
    conclude(certificate);
    certificates.push_back(std::move(certificate));
  }
  return report_of(subject, std::move(certificates));
}

}  // namespace notape::verify
