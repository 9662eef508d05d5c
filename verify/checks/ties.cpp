// ties: entries that tie are judged jointly. Any of the tied entries of a maximum may get its
// gradient, so that each alone may have anything between the slopes of both sides; but along the
// direction in which all of them move together nothing ties or unties, the slope is plain, and the
// gradient's entries must add up to it. On equal entries of the case or, in an argument without
// any, where a tie is made with the least change; not where the function is not smooth along that
// direction, or has no finite gradient.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/comparer.h"
#include "verify/checks/made_ties.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/judgement.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// The largest groups of equal entries of an argument.
std::vector<Tie> ties_of(const Subject& subject, std::size_t argument) {
  const Numbers& values = subject.drawn.arguments[argument].values;
  std::map<double, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < values.size(); ++i) groups[values[i]].push_back(i);
  std::vector<Tie> ties;
  for (auto& [value, entries] : groups)
    if (entries.size() > 1) ties.push_back({argument, std::move(entries)});
  std::stable_sort(ties.begin(), ties.end(), [](const Tie& one, const Tie& other) {
    return one.entries.size() > other.entries.size();
  });
  ties.resize(std::min(ties.size(), kMostTiesOfArgument));
  return ties;
}

/// The gradients along the direction in which all of the tie moves.
struct Together {
  Wide sum = 0, size = 0;
};
std::optional<Together> together(const Subject& subject, const Tie& tie, const Direction& u,
                                 const Numbers& v, double t = 0) {
  const std::vector<Numbers> x = point_along(subject.drawn, u, t);
  const Run run = subject.run(subject.inputs(kAllArguments, Placement::Contiguous, &x),
                              subject.output_tensor(v));
  if (!run.defined[tie.argument]) return {};
  Together result;
  for (std::size_t i : tie.entries) {
    const double entry = run.gradients[tie.argument][i] * u.parts[tie.argument][i];
    if (!std::isfinite(entry)) return {};
    result.sum += Wide(entry);
    result.size += magnitude(Wide(entry));
  }
  return result;
}

/// How far the gradients scatter when the tie moves a little as a whole: a deviation of equal
/// numbers is nothing but roundings, and so is all that is divided by it. Infinite if they end.
Wide scatter(const Subject& subject, const Tie& tie, const Direction& u, const Numbers& v,
             const Together& here) {
  Wide most = 0;
  for (int place = 1; place <= kTiePlaces; ++place) {
    // No multiples of one number, or the last bits would stay what they are.
    const int exponent = subject.dtype != kFloat64 ? -17 : -34;
    const double t =
        std::ldexp(place % 2 ? 1 : -1, exponent) * std::fmod(place * 0.6180339887498949, 1);
    const auto there = together(subject, tie, u, v, t);
    if (!there) return Wide(HUGE_VAL);
    most = std::max({most, magnitude(there->sum - here.sum), magnitude(there->size - here.size)});
  }
  return most;
}

/// How exact the function is, relative to its values: one in float32 inside has gradients no
/// better, though at a tie its value, a quarter perhaps, is exact.
double relative_rounding(const Subject& subject) {
  if (!modes_reach(subject.device)) return kRelativeRoundingUnknown;
  const auto values = [&] {
    const NoGradGuard no_grad;
    return numbers_of(subject.drawn.op.call(subject.inputs(0)));
  };
  const Numbers nearest = values(), spread = spread_over_modes(values, nearest);
  if (spread.empty()) return kRelativeRoundingUnknown;
  double moved = 0, size = 0;
  for (std::size_t i = 0; i < spread.size(); ++i) {
    if (!std::isfinite(nearest[i]) || !std::isfinite(spread[i])) continue;
    moved += spread[i];
    size += std::abs(nearest[i]);
  }
  return size > 0 ? std::min(moved / size, kRelativeRoundingUnknown) : 0;
}

/// What float64 runs, moved as a whole, foretell of the noise in a float32 gradient, which may not
/// move at all: 1 + erf(x) is a staircase there.
Wide predicted_scatter(const Subject& subject, const Tie& tie, const Direction& u,
                       const Numbers& v) {
  if (subject.dtype == kFloat64) return 0;
  double samples[kNoiseSamples];
  try {
    const Subject twin(subject.spec, subject.drawn, kFloat64, subject.device);
    Wide first = 0;
    for (std::size_t k = 0; k < kNoiseSamples; ++k) {
      const double t = std::ldexp(noise_abscissa(subject.drawn.key, k), -14);
      const auto there = together(twin, tie, u, v, t);
      if (!there) return Wide(HUGE_VAL);
      if (k == 0) first = there->sum;
      samples[k] = static_cast<double>(there->sum - first);
    }
  } catch (const std::exception&) {
    return 0;  // an operator of one dtype
  }
  return Wide(kFloat32Ratio * subject.noise_fit()(samples));
}

/// What is wrong about the gradient along a tie.
struct Fault {
  Wide slope, sum, radius, largest;
};

std::optional<Fault> fault_of(const Subject& subject, const Tie& tie, double relative) {
  const Numbers& values = subject.drawn.arguments[tie.argument].values;
  const Numbers v = unlike_numbers(subject);
  Direction u = Direction::none(subject.drawn);
  u.parts[tie.argument].assign(values.size(), 0);
  for (std::size_t i : tie.entries)
    u.parts[tie.argument][i] = values[i] != 0 ? power_of_two_below(std::abs(values[i])) : 1;
  const auto here = together(subject, tie, u, v);
  if (!here) return {};
  const auto [sum, size] = *here;
  // (A float32 gradient does not move with steps as small as those of scatter().)
  const double own = subject.dtype != kFloat64 ? 1e-3
                                               : rounding_factor(kFloat64) * epsilon_of(kFloat64) +
                                                     kNoiseFactor * relative;
  // Where slopes cancel, at equal logits, what is left of them are roundings of
  // numbers inside, of the values' size or of size 1.
  double values_size = 0;
  for (std::size_t i = 0; i < subject.base().output.size(); ++i)
    if (const double term = std::abs(v[i]) * std::max(1.0, std::abs(subject.base().output[i]));
        std::isfinite(term))
      values_size += term;
  const Wide rounding =
      Wide(own) * size + Wide(smallest_of(subject.dtype)) +
      Wide(rounding_factor(subject.dtype) * epsilon_of(subject.dtype) * values_size);
  const auto radius_of = [&](const Ladder& ladder) {
    return rounding + Wide(kLadderFactor) * ladder.slope.error + Wide(ladder.hidden) +
           subject.allowance(u, ladder.slope.value);
  };
  // A first look. What is small beside the terms of a sum is none of its ties'.
  const double good = subject.dtype != kFloat64 ? 1e-2 : 1e-9;
  const Ladder quick = climb_quickly(opaque_path(subject, u, v));
  if (quick.slope.finite && slopes_meet(quick.samples) && radius_of(quick) <= Wide(good) * size &&
      magnitude(sum - quick.slope.value) <= radius_of(quick))
    return {};
  const auto ladder_along = [&](double share) {
    const Direction step = scaled(u, share);
    return opaque_ladder(subject, step, v);
  };
  const Ladder ladder = ladder_along(1);
  const Slope& slope = ladder.slope;
  if (!slope.finite || !ladder.converged || ladder.one_sided ||
      look(ladder.samples, sum).shape != LocalShape::Smooth)
    return {};
  // What moves in large steps and not in the smallest ones is rounded inside, to float32 perhaps.
  if (ladder.samples.stand_still() && !ladder.samples.constant()) return {};
  const Wide largest = std::max({size, magnitude(slope.value), Wide(1e-300)});
  Wide radius = radius_of(ladder);
  if (magnitude(sum - slope.value) <= radius) return {};
  radius += Wide(kNoiseFactor) *
            (scatter(subject, tie, u, v, *here) + predicted_scatter(subject, tie, u, v));
  if (!(radius < largest / 8) || magnitude(sum - slope.value) <= radius ||
      !is_confirmed(ladder_along, sum))
    return {};
  // Stairs and what stands still have slopes that are nobody's.
  const Claim claim{.derivative = static_cast<double>(sum),
                    .terms = static_cast<double>(size),
                    .allowance = static_cast<double>(radius)};
  if (judge(ladder, claim, subject.power_gate()).verdict != Verdict::Fail) return {};
  return Fault{slope.value, sum, radius, largest};
}

/// The point at which a tie that was made was judged: it is not the one that was given.
std::string point_text(const Subject& subject, std::size_t argument) {
  constexpr std::size_t kMostShown = 24;
  const Numbers& values = subject.drawn.arguments[argument].values;
  std::string list;
  for (std::size_t i = 0; i < std::min(values.size(), kMostShown); ++i)
    list += (i ? ", " : "") + number_text(values[i], subject.dtype);
  return format_message("argument {} = [{}{}]",
                        {argument, list, values.size() > kMostShown ? ", ..." : ""});
}

void report(const Tie& tie, const Fault& fault, const char* reason, std::string message,
            Comparer& comparer) {
  comparer.fail(Verdict::Fail, reason, std::move(message));
  comparer.within(
      format_message("gradient along all {} {}entries of argument {} at ",
                     {tie.entries.size(), reason == std::string_view("ties") ? "tied " : "moved ",
                      tie.argument}),
      {}, 0, fault.slope, static_cast<double>(fault.sum), fault.radius, fault.largest);
}

void judge_own(const Subject& subject, const Tie& tie, double relative, Comparer& comparer) {
  comparer.same("tie", {}, {0}, {0});
  const auto fault = fault_of(subject, tie, relative);
  if (!fault) return;
  report(tie, *fault, "ties",
         format_message("{} entries of argument {} tie; along all of them together the slope "
                        "is {}, and their gradients add up to {}",
                        {tie.entries.size(), tie.argument, number_text(fault->slope),
                         number_text(fault->sum)}),
         comparer);
}

void judge_made(const Subject& subject, const MadeTie& made, double relative, Comparer& comparer) {
  comparer.same("tie", {}, {0}, {0});
  const Subject tied(subject.spec, made.drawn, subject.dtype, subject.device);
  const auto fault = fault_of(tied, made.tie, relative);
  if (!fault) return;
  const Subject beside(subject.spec, made.beside, subject.dtype, subject.device);
  if (const auto untied = fault_of(beside, made.tie, relative))
    return report(
        made.tie, *untied, "elsewhere",
        format_message(
            "the gradient is wrong at {}, which is not the given point: along a direction "
            "the slope is {}, and it gives {} (what was kept from an earlier call?)",
            {point_text(beside, made.tie.argument), number_text(untied->slope),
             number_text(untied->sum)}),
        comparer);
  report(made.tie, *fault, "ties",
         format_message("{}, made equal, tie: along all of them together the slope is {}, and "
                        "their gradients add up to {}, at {} instead of what was given",
                        {made.how, number_text(fault->slope), number_text(fault->sum),
                         point_text(tied, made.tie.argument)}),
         comparer);
}

}  // namespace

Outcome check_ties(const Subject& subject) {
  Comparer comparer(subject);
  comparer.same("tie", {}, {0}, {0});
  if (is_nan_inside_domain(subject)) return comparer.finish("ties", "");
  const double relative = relative_rounding(subject);
  for (std::size_t a : subject.real_arguments()) {
    if (subject.drawn.arguments[a].values.size() > kMostTiedEntries) continue;
    const std::vector<Tie> ties = ties_of(subject, a);
    for (const Tie& tie : ties)
      if (!comparer.failed()) judge_own(subject, tie, relative, comparer);
    if (!ties.empty()) continue;
    for (const MadeTie& made : made_ties(subject.drawn, a)) {
      if (comparer.failed()) break;
      try {
        judge_made(subject, made, relative, comparer);
      } catch (const std::exception&) {  // it takes no equal entries
      }
    }
  }
  return comparer.finish("ties", "");
}

}  // namespace notape::verify
