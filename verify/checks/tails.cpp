// tails: the derivative of an elementwise operator within a few units in the last place of the
// exact one, out to where the operator saturates, underflows and overflows, at numbers of every
// size; and where its row declares that less is known (ops/spec/known_by_result.h), the declared
// loss, and that it is a real one.
#include <cmath>
#include <optional>

#include "autograd/modes/grad_mode.h"
#include "ops/spec/known_by_result.h"
#include "verify/checks/shared_questions.h"
#include "verify/checks/tail_sweep.h"
#include "verify/numeric/last_place.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

double value_at(const Subject& subject, double x) {
  return numbers_of(subject.drawn.op.call({make_tensor({x}, {}, subject.dtype, subject.device)}))
      .front();
}
Wide slope_at(const Subject& subject, double x) {
  DualList one(1);
  one[0].values = {WideDual(Wide(x), Wide(1))};
  return subject.drawn.op.reference(one).values.front().slope;
}

/// The farthest number in the direction of `end` that has the same result, by steps that double
/// and then halve.
double end_of_plateau(const Subject& subject, double x, double end) {
  const double y = value_at(subject, x);
  const Wide unit = last_place(Wide(x), subject.dtype);
  const auto moved = [&](double steps) {
    const auto there = static_cast<double>(Wide(x) + Wide(end < x ? -steps : steps) * unit);
    return round_to(there, subject.dtype);
  };
  double steps = 1;
  while (steps < 0x1p40 && value_at(subject, moved(steps)) == y) steps *= 2;
  double inside = steps / 2;
  for (double step = steps / 4; step >= 1; step /= 2)
    if (value_at(subject, moved(inside + step)) == y) inside += step;
  return steps == 1 ? x : moved(inside);
}

/// How far apart the derivatives are that belong to x's result, in last places of the one at x.
double found_loss(const Subject& subject, double x) {
  const Wide below = slope_at(subject, end_of_plateau(subject, x, -HUGE_VAL)),
             above = slope_at(subject, end_of_plateau(subject, x, HUGE_VAL));
  return static_cast<double>(magnitude(above - below) /
                             last_place(slope_at(subject, x), subject.dtype));
}

/// A sentence about where the row declares a loss that there is not: all inputs with the result
/// that a point has, whose derivatives the operator cannot tell apart, have derivatives so near
/// each other that it could be as good as others. None if there is no such place.
std::optional<std::string> pretended_loss(const Subject& subject,
                                          const std::vector<TailEntry>& entries) {
  if (!known_by_result(subject.spec.name)) return {};
  const NoGradGuard no_grad;
  // Where the declared region begins on either side, as far as the points show it.
  const TailEntry* edges[2] = {};
  for (const TailEntry& entry : entries) {
    if (entry.kind != TailEntry::Kind::Reverse || entry.excused <= kTailPlaces) continue;
    const TailEntry*& edge = edges[entry.point[0] < 0];
    if (!edge || entry.excused < edge->excused) edge = &entry;
  }
  for (const TailEntry* edge : edges)
    if (edge && found_loss(subject, edge->point[0]) < kFoundLoss * edge->excused)
      return format_message(
          "the row declares {} units in the last place to be lost at {}, and the result tells the "
          "derivative to {}",
          {edge->excused, number_text(edge->point[0], subject.dtype),
           found_loss(subject, edge->point[0])});
  return {};
}

void explain(const TailEntry& entry, const Subject& subject, Outcome& outcome) {
  outcome.verdict = std::isfinite(entry.got) || !std::isfinite(entry.expected) ? Verdict::Fail
                                                                               : Verdict::Nonfinite;
  outcome.reason = entry.kind == TailEntry::Kind::Value ? "value" : "derivative";
  outcome.message = format_message("off by {} units in the last place, {} are accepted",
                                   {entry.places, kTailPlaces + entry.excused});
  outcome.guilty = Guilty{entry.text(subject.dtype), entry.expected, entry.got, entry.places};
}

}  // namespace

Outcome check_tails(const Subject& subject) {
  Outcome outcome;
  double worst = 0;
  const auto entries = sweep(subject, some_columns(subject, kTailPoints));
  for (const TailEntry& entry : entries) {
    // What an operator's value may be off, `value` judges: there terms may cancel.
    if (entry.kind == TailEntry::Kind::Value) continue;
    ++outcome.comparisons;
    const double excess = entry.places / (kTailPlaces + entry.excused);
    if (entry.is_right() || excess <= worst) continue;
    worst = excess;
    explain(entry, subject, outcome);
  }
  outcome.detectable = kTailPlaces * epsilon_of(subject.dtype);
  if (outcome.verdict != Verdict::Pass) return outcome;
  if (const auto pretended = pretended_loss(subject, entries)) {
    outcome.verdict = Verdict::Fail;
    outcome.reason = "declared";
    outcome.message = *pretended;
  }
  return outcome;
}

}  // namespace notape::verify
