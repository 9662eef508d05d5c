// ties: entries that tie are judged jointly. Any of the tied entries of a maximum may get its
// gradient, so that each alone may have anything between the slopes of both sides; but along the
// direction in which all of them move together nothing ties or unties, the slope is plain, and the
// gradient's entries must add up to it. On equal entries of the case, and on each argument made
// constant; not where the function is not smooth along that direction, or has no finite gradient.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/comparer.h"
#include "verify/checks/finite.h"
#include "verify/checks/opaque_reference.h"
#include "verify/checks/structure.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// Entries of one argument that are equal, or all of it.
struct Tie {
  std::size_t argument;
  std::vector<std::size_t> entries;
};

/// The largest groups of equal entries of every argument.
std::vector<Tie> ties_of(const Subject& subject) {
  constexpr std::size_t kMostEntries = 512, kMostTies = 3;
  std::vector<Tie> ties;
  for (std::size_t a : subject.real_arguments()) {
    const Numbers& values = subject.drawn.arguments[a].values;
    if (values.size() > kMostEntries) continue;
    std::map<double, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < values.size(); ++i) groups[values[i]].push_back(i);
    std::vector<Tie> own;
    for (auto& [value, entries] : groups)
      if (entries.size() > 1) own.push_back({a, std::move(entries)});
    std::stable_sort(own.begin(), own.end(), [](const Tie& one, const Tie& other) {
      return one.entries.size() > other.entries.size();
    });
    own.resize(std::min(own.size(), kMostTies));
    ties.insert(ties.end(), own.begin(), own.end());
  }
  return ties;
}

/// On stairs small steps see none: whether the slope of longer ones is about that.
bool is_near(const DoublePath& path, Wide slope, Wide size) {
  constexpr double kAbout = 1e-3;
  for (double step : {0x1p-6, 0x1p-10, 0x1p-14})
    if (magnitude((path.at(step) - path.at(-step)) / Wide(2 * step) - slope) <= Wide(kAbout) * size)
      return true;
  return false;
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
  constexpr int kPlaces = 16;
  Wide most = 0;
  for (int place = 1; place <= kPlaces; ++place) {
    // No multiples of one number, or the last bits would stay what they are.
    const double t = std::ldexp(place % 2 ? 1 : -1, -34) * std::fmod(place * 0.6180339887498949, 1);
    const auto there = together(subject, tie, u, v, t);
    if (!there) return Wide(HUGE_VAL);
    most = std::max({most, magnitude(there->sum - here.sum), magnitude(there->size - here.size)});
  }
  return most;
}

/// How exact the function is, relative to its values: one in float32 inside has gradients no
/// better, though at a tie its value, a quarter perhaps, is exact.
double relative_rounding(const Subject& subject) {
  constexpr double kUnknown = 0x1p-20;
  if (!modes_reach(subject.device)) return kUnknown;
  const auto values = [&] {
    const NoGradGuard no_grad;
    return numbers_of(subject.drawn.op.call(subject.inputs(0)));
  };
  const Numbers nearest = values(), spread = spread_over_modes(values, nearest);
  if (spread.empty()) return kUnknown;
  double moved = 0, size = 0;
  for (std::size_t i = 0; i < spread.size(); ++i) {
    if (!std::isfinite(nearest[i]) || !std::isfinite(spread[i])) continue;
    moved += spread[i];
    size += std::abs(nearest[i]);
  }
  return size > 0 ? std::min(moved / size, kUnknown) : 0;
}

void judge(const Subject& subject, const Tie& tie, double relative, Comparer& comparer) {
  comparer.same("tie", {}, {0}, {0});
  const Numbers& values = subject.drawn.arguments[tie.argument].values;
  const Numbers v = unlike_numbers(subject);
  Direction u = Direction::none(subject.drawn);
  u.parts[tie.argument].assign(values.size(), 0);
  const double at = std::abs(values[tie.entries[0]]);
  for (std::size_t i : tie.entries) u.parts[tie.argument][i] = at > 0 ? power_of_two_below(at) : 1;
  const auto here = together(subject, tie, u, v);
  if (!here) return;
  const auto [sum, size] = *here;
  // (A float32 gradient does not move with steps as small as those of scatter().)
  const double own = subject.dtype == kFloat32 ? 1e-3
                                               : rounding_factor(kFloat64) * epsilon_of(kFloat64) +
                                                     kNoiseFactor * relative;
  const Wide rounding = Wide(own) * size + Wide(smallest_of(subject.dtype));
  const auto radius_of = [&](const Ladder& ladder) {
    return rounding + Wide(kLadderFactor) * ladder.slope.error + Wide(ladder.hidden) +
           subject.allowance(u, ladder.slope.value);
  };
  // A first look. What is small beside the terms of a sum is none of its ties'.
  const double good = subject.dtype == kFloat32 ? 1e-2 : 1e-9;
  const Ladder quick = climb_quickly(opaque_path(subject, u, v));
  if (quick.slope.finite && slopes_meet(quick.samples) && radius_of(quick) <= Wide(good) * size &&
      magnitude(sum - quick.slope.value) <= radius_of(quick))
    return;
  const auto ladder_along = [&](double share) {
    const Direction step = scaled(u, share);
    return opaque_ladder(subject, step, v);
  };
  const Ladder ladder = ladder_along(1);
  const Slope& slope = ladder.slope;
  if (!slope.finite || !ladder.converged || ladder.one_sided ||
      look(ladder.samples, sum).shape != LocalShape::Smooth)
    return;
  const Wide largest = std::max({size, magnitude(slope.value), Wide(1e-300)});
  Wide radius = radius_of(ladder);
  if (magnitude(sum - slope.value) <= radius) return;
  if (ladder.samples.stand_still() && is_near(opaque_path(subject, u, v), sum, size)) return;
  radius += Wide(kNoiseFactor) * scatter(subject, tie, u, v, *here);
  if (!(radius < largest / 8) || magnitude(sum - slope.value) <= radius ||
      !is_confirmed(ladder_along))
    return;
  comparer.fail(
      Verdict::Fail, "ties",
      format_message("{} entries of argument {} tie; along all of them together the slope "
                     "is {}, and their gradients add up to {}",
                     {tie.entries.size(), tie.argument,
                      number_text(static_cast<double>(slope.value), kFloat64),
                      number_text(static_cast<double>(sum), kFloat64)}));
  comparer.within(format_message("gradient along all {} tied entries of argument {} at ",
                                 {tie.entries.size(), tie.argument}),
                  {}, 0, slope.value, static_cast<double>(sum), radius, largest);
}

/// The case with all entries of this argument equal to its first one.
DrawnCase constant_case(const Subject& subject, std::size_t argument) {
  DrawnCase drawn = subject.drawn;
  Numbers& values = drawn.arguments[argument].values;
  values.assign(values.size(), values[0]);
  return drawn;
}

}  // namespace

Outcome check_ties(const Subject& subject) {
  constexpr std::size_t kMostEntries = 512;
  Comparer comparer(subject);
  comparer.same("tie", {}, {0}, {0});
  if (is_nan_inside_domain(subject)) return comparer.finish("ties", "");
  const double relative = relative_rounding(subject);
  for (const Tie& tie : ties_of(subject)) {
    judge(subject, tie, relative, comparer);
    if (comparer.failed()) return comparer.finish("ties", "");
  }
  for (std::size_t a : subject.real_arguments()) {
    const Numbers& values = subject.drawn.arguments[a].values;
    if (values.size() < 2 || values.size() > kMostEntries) continue;
    const DrawnCase drawn = constant_case(subject, a);
    Tie whole{a, {}};
    for (std::size_t i = 0; i < values.size(); ++i) whole.entries.push_back(i);
    try {
      const Subject tied(subject.spec, drawn, subject.dtype, subject.device);
      judge(tied, whole, relative, comparer);
    } catch (const std::exception&) {  // it takes no equal entries
    }
    if (comparer.failed()) break;
  }
  return comparer.finish("ties", "");
}

}  // namespace notape::verify
