#include "verify/runner/shrink.h"

#include <rapidcheck.h>

#include <ctime>

#include "verify/checks/given_inputs.h"
#include "verify/processes/interruption.h"
#include "verify/runner/case_source.h"

namespace notape::verify {
namespace {

/// Only directions and layouts are drawn; there is little to make simpler.
bool is_fixed(const OpSpec& spec, ScalarType dtype, const Choices& choices) {
  ChoiceDraw draw(choices);
  try {
    return has_given_inputs(draw_case(spec, draw, dtype));
  } catch (...) {
    return false;
  }
}

}  // namespace

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

Choices simplest_failure(Choices simplest, const StillFails& still_fails,
                         const std::function<bool()>& is_late) {
  constexpr int kMostEvaluations = 3000;
  // Greedy: the first simpler case that fails in the same way becomes the new start.
  auto candidates = simpler(simplest);
  for (int i = 0; i < kMostEvaluations && !is_late(); ++i) {
    const auto candidate = candidates.next();
    if (!candidate) break;
    auto next = still_fails(*candidate, simplest);
    if (!next) continue;
    simplest = std::move(*next);
    candidates = simpler(simplest);
  }
  return simplest;
}

Outcome outcome_of(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                   const Choices& choices) {
  try {
    ChoiceDraw draw(choices);
    const DrawnCase drawn = draw_case(spec, draw, dtype);
    const Subject subject(spec, drawn, dtype, device);
    return is_asked(check, subject) ? run_check(check, subject) : Outcome();
  } catch (...) {
    return outcome_of_exception(spec);
  }
}

Exhibit shrink_failure(const OpSpec& spec, const Check& check, ScalarType dtype, Device device,
                       const rc::Shrinkable<Choices>& choices, const Outcome& outcome) {
  // Of this process, so that a busy machine does not leave larger cases.
  constexpr std::clock_t kMostTime = 4 * CLOCKS_PER_SEC;
  const std::clock_t deadline = std::clock() + kMostTime;
  const auto still_fails = [&](const Choices& candidate,
                               const Choices& simplest) -> std::optional<Choices> {
    Choices next = normalised(spec, dtype, candidate);
    if (!is_simpler(next, simplest)) return {};
    const Outcome now = outcome_of(spec, check, dtype, device, next);
    if (now.verdict != outcome.verdict || now.reason != outcome.reason) return {};
    return next;
  };
  const Choices failing = normalised(spec, dtype, choices.value());
  const Choices simplest =
      is_fixed(spec, dtype, failing) || outcome.reason == "race"  // now there, now not
          ? failing
          : simplest_failure(failing, still_fails,
                             [&] { return std::clock() >= deadline || Interruption::requested(); });
  Outcome last = outcome_of(spec, check, dtype, device, simplest);
  // What fails only now and then keeps the outcome that was seen.
  if (last.verdict != outcome.verdict) last = outcome;
  return exhibit_of(spec, check, dtype, device, simplest, std::move(last));
}

}  // namespace notape::verify
