// tails: the derivative of an elementwise operator within a few units in the last place of the
// exact one, out to where the operator saturates, underflows and overflows, at numbers of every
// size; and where its row declares that less is known (ops/spec/known_by_result.h), the declared
// loss, and that it is a real one.
#include <cmath>

#include "verify/checks/check.h"
#include "verify/checks/each_check.h"
#include "verify/checks/tail_loss.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

constexpr std::size_t kPoints = 192;

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
  const auto entries = sweep(subject, some_columns(subject, kPoints));
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
