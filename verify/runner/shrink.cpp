#include "verify/runner/shrink.h"

#include <rapidcheck.h>

#include <ctime>

#include "verify/runner/case_source.h"

namespace notape::verify {
namespace {

/// The choices without what the case did not ask for, and without zeros at the end, which are what
/// a draw gets anyway.
Choices normalised(const OpSpec& spec, ScalarType dtype, const Choices& choices) {
  ChoiceDraw draw(choices);
  try {
    draw_case(spec, draw, dtype);
  } catch (...) {
    // The row's generator is at fault, and its choices up to there are the case.
  }
  Choices made = draw.made();
  while (!made.empty() && made.back() == 0) made.pop_back();
  return made;
}

bool is_simpler(const Choices& a, const Choices& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

Outcome outcome_of(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                   const Choices& choices) {
  try {
    ChoiceDraw draw(choices);
    const DrawnCase drawn = draw_case(spec, draw, dtype);
    const Subject subject(spec, drawn, dtype, device);
    return check.applies(subject) ? run_check(check, subject) : Outcome();
  } catch (...) {
    return outcome_of_exception(spec);
  }
}

Exhibit shrink_failure(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                       const rc::Shrinkable<Choices>& choices, const Outcome& outcome) {
  constexpr int kMostEvaluations = 3000;
  // Of this process, so that a busy machine does not leave larger cases.
  constexpr std::clock_t kMostTime = 4 * CLOCKS_PER_SEC;
  const std::clock_t deadline = std::clock() + kMostTime;
  const auto still_fails = [&](const Choices& candidate) {
    const Outcome now = outcome_of(spec, check, dtype, device, candidate);
    return now.verdict == outcome.verdict && now.reason == outcome.reason;
  };
  // Greedy: the first simpler case that fails in the same way becomes the new start.
  Choices simplest = normalised(spec, dtype, choices.value());
  auto candidates = simpler(simplest);
  for (int i = 0; i < kMostEvaluations && std::clock() < deadline; ++i) {
    const auto candidate = candidates.next();
    if (!candidate) break;
    Choices next = normalised(spec, dtype, *candidate);
    if (!is_simpler(next, simplest) || !still_fails(next)) continue;
    simplest = std::move(next);
    candidates = simpler(simplest);
  }
  Outcome last = outcome_of(spec, check, dtype, device, simplest);
  // What fails only now and then keeps the outcome that was seen.
  if (last.verdict != outcome.verdict) last = outcome;
  return exhibit_of(spec, check, dtype, device, simplest, std::move(last));
}

}  // namespace notape::verify
