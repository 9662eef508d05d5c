// check_kink: the convention of a function on a kink, as its author declares it.
#include <algorithm>
#include <cmath>

#include "verify/checks/opaque_reference.h"
#include "verify/functions/function_report.h"
#include "verify/functions/function_row.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

std::string text_of(Wide number) { return number_text(static_cast<double>(number), kFloat64); }

/// Slopes are with respect to the entry itself.
Outcome judge_kink(const LocalView& view, double got, double convention) {
  if (view.shape != LocalShape::Kink)
    return Outcome::of(Verdict::Fail, std::string(name_of(view.shape)),
                       format_message("there is no kink at this point: the function is {} here",
                                      {name_of(view.shape)}));
  const Wide low = std::min(view.below, view.above), high = std::max(view.below, view.above);
  const std::string slopes = text_of(view.below) + " and " + text_of(view.above);
  if (Wide(convention) < low - view.widening || Wide(convention) > high + view.widening)
    return Outcome::of(Verdict::Fail, "convention",
                       format_message("the convention {} is not between the slopes {}",
                                      {text_of(Wide(convention)), slopes}));
  const double radius = rounding_factor(kFloat64) * epsilon_of(kFloat64) * std::abs(convention);
  if (!(std::abs(got - convention) <= radius)) {
    Outcome outcome = Outcome::of(
        Verdict::Fail, "convention",
        "on the kink between the slopes " + slopes + " the derivative is not the declared one");
    outcome.guilty = Guilty::of("derivative on the kink", convention, got, kFloat64);
    return outcome;
  }
  return Outcome::of(Verdict::Kink, "declared", "");
}

}  // namespace

Report check_kink(const TensorFunction& f, const Tensor& point, double convention) {
  if (point.numel() != 1)
    throw ValueError("a kink is looked for at one entry, the point has {}", point.numel());
  const variable_list inputs{point.detach().to(kFloat64).clone().requires_grad_(true)};
  const auto row = std::make_shared<const FunctionRow>(f, inputs, CheckOptions{});
  ChoiceDraw draw{Choices{}};
  const DrawnCase drawn = draw_case(row->spec(), draw, kFloat64);
  const Subject subject(row->spec(), drawn, kFloat64, row->device());
  const Numbers ones(subject.incoming().size(), 1);
  const Direction u = one_hot(drawn, 0, 0);
  const Run run = subject.run(subject.inputs(), subject.output_tensor(ones));
  const double got = run.gradients[0].empty() ? 0 : run.gradients[0][0];
  LocalView view = look(opaque_ladder(subject, u, ones).samples, Wide(got * u.parts[0][0]));
  for (Wide* slope : {&view.below, &view.above, &view.widening}) *slope /= Wide(u.parts[0][0]);

  const Outcome outcome = judge_kink(view, got, convention);
  Certificate certificate{.spec = &row->spec(), .check = "kink"};
  certificate.verdict = outcome.verdict;
  certificate.detail = outcome.reason;
  certificate.cases = certificate.comparisons = 1;
  if (is_red(outcome.verdict)) {
    certificate.failure = Exhibit{.outcome = outcome};
    certificate.failure->inputs.push_back(show(inputs[0]));
  }
  return report_of({row, &row->spec()}, {std::move(certificate)});
}

}  // namespace notape::verify
