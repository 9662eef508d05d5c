#include "verify/checks/infinite_slopes.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/bisection.h"
#include "verify/checks/opaque_reference.h"
#include "verify/numeric/last_place.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

enum class Course : uint8_t { Unknown, Settles, Grows };

/// What the slopes of one side do as steps fall, and the last of them.
struct Side {
  Course course = Course::Unknown;
  double slope = 0;
};

/// From one step to the next, half as long, slopes of a smooth function change half as much as the
/// time before, those of x sqrt(x) 0.7 times, those of x log(x) as much. In between nobody knows:
/// those of x - x^1.1 settle, but far from here.
Side course_of(const Samples& samples, bool is_above) {
  constexpr std::size_t kWindow = 16, kFewest = 8;
  std::vector<double> slopes;
  double unsure = 0;
  for (auto level = samples.levels.rbegin(); level != samples.levels.rend(); ++level) {
    if (slopes.size() == kWindow) break;
    const Wide gap = is_above ? level->above - samples.here : samples.here - level->below;
    const auto slope = static_cast<double>(gap) * std::ldexp(1.0, level->exponent);
    const double noise =
        static_cast<double>(samples.noise_at(*level)) * std::ldexp(1.0, level->exponent);
    const bool clean = std::isfinite(slope) && noise <= 1e-3 * std::abs(slope);
    if (!clean && !slopes.empty()) break;
    if (!clean) continue;
    if (slopes.empty()) unsure = 8 * noise;
    slopes.push_back(slope);
  }
  if (slopes.size() < kFewest) return {};
  std::reverse(slopes.begin(), slopes.end());
  const double last = slopes.back();
  std::vector<double> changes;
  for (std::size_t k = 0; k + 1 < slopes.size(); ++k) changes.push_back(slopes[k + 1] - slopes[k]);
  const double kept = std::pow(kFallingSlopes, static_cast<double>(changes.size() - 1) / 2);
  const double final_change = std::abs(changes.back());
  const bool one_way =
      std::all_of(changes.begin(), changes.end(), [&](double change) { return change * last > 0; });
  if (one_way && final_change > unsure && final_change >= kSteadySlopes * std::abs(changes.front()))
    return {Course::Grows, last};
  const double largest = std::max(std::abs(last), std::abs(slopes.front()));
  const bool falls = final_change <= unsure + kept * std::abs(changes.front());
  return {falls && final_change <= largest / 8 ? Course::Settles : Course::Unknown, last};
}

}  // namespace

std::vector<ArgumentEntry> infinite_entries(const Subject& subject) {
  std::vector<ArgumentEntry> result;
  for (std::size_t a : subject.real_arguments()) {
    const Numbers& gradient = subject.base().gradients[a];
    const Numbers& values = subject.drawn.arguments[a].values;
    for (std::size_t i = 0; i < std::min(gradient.size(), values.size()); ++i)
      if (std::isinf(gradient[i]) && std::isfinite(values[i])) result.push_back({a, i});
  }
  return result;
}

void judge_infinite(const Subject& subject, const ArgumentEntry& one, Outcome& outcome) {
  const Direction u = one_hot(subject.drawn, one.argument, one.index);
  const MovedEntry entry = *only_entry(u);
  const double got = subject.base().gradients[one.argument][one.index];
  const Samples samples = opaque_ladder(subject, u, subject.incoming()).samples;
  ++outcome.comparisons;
  const Side sides[] = {course_of(samples, true), course_of(samples, false)};
  const auto as_claimed = [&](const Side& side) {
    return side.course == Course::Grows && side.slope * entry.step * got > 0;
  };
  if (as_claimed(sides[0]) || as_claimed(sides[1])) return;
  const Side& known = sides[0].course == Course::Unknown ? sides[1] : sides[0];
  const double slope = known.slope / entry.step;
  if (known.course == Course::Unknown ||
      (slope * got > 0 && std::abs(slope) > largest_of(subject.dtype) / 2)) {
    outcome.unresolved += known.course == Course::Unknown;
    return;
  }
  outcome.verdict = Verdict::Nonfinite;
  outcome.reason = "value";
  outcome.message =
      known.course == Course::Settles
          ? format_message("the gradient is {}, where slopes settle at {}", {got, slope})
          : format_message("the gradient is {}, where slopes grow without bound the other way: {}",
                           {got, slope});
  outcome.guilty = Guilty{"gradient of " + entry.text(subject), slope, got, HUGE_VAL};
}

}  // namespace notape::verify
