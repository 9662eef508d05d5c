#include "verify/corpus/trial.h"

#include <cmath>
#include <ctime>

#include "verify/corpus/distance.h"
#include "verify/functions/function_report.h"
#include "verify/generate/drawn_case.h"
#include "verify/plugin/c_operator.h"
#include "verify/runner/case_source.h"
#include "verify/unrepeated.h"

namespace notape::verify::corpus {
namespace {

/// Cases of a C operator in one trial.
constexpr int kForeignCases = 4;

/// Whether the check of this order found a number to state.
double stated_power(const Report& report, int order) {
  const std::string_view check = order == 2 ? "second-order" : "reverse";
  for (const Finding& finding : report.findings)
    if (finding.check == check)
      return finding.verdict <= Verdict::Unbounded && finding.verdict != Verdict::Limit
                 ? finding.detectable
                 : HUGE_VAL;
  return HUGE_VAL;
}

Trial trial_of(const Report& report, int order) {
  Trial trial{.proven = report.proven(), .stated = stated_power(report, order)};
  for (const Finding& finding : report.findings) {
    ++trial.checks;
    trial.unresolved += finding.verdict == Verdict::Unresolved;
    if (is_red(finding.verdict)) trial.red += (trial.red.empty() ? "" : ", ") + finding.check;
  }
  trial.text = report.text();
  return trial;
}

Trial try_function(const Entry& entry, const Mistake* mistake, uint64_t seed) {
  InputDraw draw(entry.name, seed);
  const variable_list inputs = entry.inputs(draw);
  const TensorFunction& f = mistake ? mistake->wrong : entry.right;
  const int order = mistake ? mistake->order : 1;
  Trial trial;
  try {
    trial = trial_of(check(f, inputs,
                           {.name = entry.name,
                            .order = entry.traits.order,
                            .forward_mode = entry.traits.forward_mode,
                            .seed = seed,
                            .fail_fast = mistake != nullptr}),
                     order);
  } catch (const std::exception& error) {
    trial = {.checks = 1, .red = "call", .text = error.what()};
  }
  if (mistake) trial.distance = distance(entry.right, f, inputs, order);
  return trial;
}

/// The largest distance in the cases that the checks are given.
double foreign_distance(const OpSpec& right, const OpSpec& wrong, uint64_t seed) {
  double worst = 0;
  for (int number = 0; number < cases_of(right, kForeignCases); ++number) {
    const auto drawn = [&](const OpSpec& spec) {
      ChoiceDraw draw(random_for(right, kFloat64, seed, number));
      return draw_case(spec, draw, kFloat64);
    };
    const DrawnCase one = drawn(right), other = drawn(wrong);
    variable_list inputs;
    for (const DrawnArgument& argument : one.arguments)
      inputs.push_back(
          make_tensor(argument.values, argument.argument.sizes, kFloat64).requires_grad_(true));
    const auto function = [](const DrawnCase& drawn_case) -> TensorFunction {
      return [call = drawn_case.op.call](const variable_list& x) -> variable_list {
        return {call(x)};
      };
    };
    worst = std::max(worst, distance(function(one), function(other), inputs, 1));
  }
  return worst;
}

Trial try_foreign(const Entry& entry, const Mistake* mistake, uint64_t seed) {
  const OpSpec right = row_of(*entry.foreign);
  const auto spec =
      std::make_shared<const OpSpec>(mistake ? row_of(*mistake->foreign) : OpSpec(right));
  Trial trial = trial_of(run_checks(spec,
                                    {.dtypes = {kFloat64},
                                     .seed = seed,
                                     .samples = kForeignCases,
                                     .first_red_only = mistake != nullptr},
                                    ""),
                         1);
  if (mistake) trial.distance = foreign_distance(right, *spec, seed);
  return trial;
}

}  // namespace

Fate Trial::fate() const {
  if (!red.empty()) return Fate::Found;
  if (distance <= kNoDistance) return Fate::Harmless;
  if (std::isinf(stated)) return Fate::Undecided;
  return distance <= stated ? Fate::Small : Fate::Missed;
}

bool Trial::contradicted() const { return fate() == Fate::Missed && distance > 2 * stated; }

Trial try_out(const Entry& entry, const Mistake* mistake, uint64_t seed) {
  const Unrepeated unrepeated;  // the command's own line shows it again
  const std::clock_t start = std::clock();
  Trial trial =
      entry.foreign ? try_foreign(entry, mistake, seed) : try_function(entry, mistake, seed);
  trial.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return trial;
}

}  // namespace notape::verify::corpus
