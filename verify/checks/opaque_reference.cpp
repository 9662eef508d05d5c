#include "verify/checks/opaque_reference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "autograd/modes/grad_mode.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {

namespace {

using Lists = std::vector<Numbers>;

/// The operator's result in float64, without recording.
Tensor run_plainly(const Subject& subject, const Lists& x) {
  const NoGradGuard no_grad;
  variable_list inputs;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const DrawnArgument& drawn = subject.drawn.arguments[a];
    inputs.push_back(
        make_tensor(x[a], drawn.argument.sizes, drawn.dtype(kFloat64), subject.device));
  }
  return subject.drawn.op.call(inputs);
}

}  // namespace

WideTensor opaque_reference(const Subject& subject, const WideList& x) {
  Lists values;
  for (const WideTensor& tensor : x)
    values.emplace_back(tensor.values.begin(), tensor.values.end());
  const Tensor output = run_plainly(subject, values);
  WideTensor result(output.sizes().vec());
  const Numbers numbers = numbers_of(output);
  result.values.assign(numbers.begin(), numbers.end());
  return result;
}

std::optional<Outcome> refusal_of_float64(const Subject& subject) {
  if (subject.dtype == kFloat64) return {};
  try {
    opaque_reference(subject, subject.wide());
    return {};
  } catch (const DtypeError&) {
    return Outcome::of(
        Verdict::Unresolved,
        "it takes no float64, whose values are differenced: hand the float32 tensors "
        "it captures over as inputs",
        "");
  }
}

Lists point_along(const DrawnCase& drawn, const Direction& u, double t) {
  Lists x = values_of(drawn);
  // t u is a power of two or zero, and so exact; the sum is rounded once.
  for (std::size_t a = 0; a < u.parts.size(); ++a)
    for (std::size_t i = 0; i < u.parts[a].size(); ++i)
      if (u.parts[a][i] != 0) x[a][i] += t * u.parts[a][i];
  return x;
}

namespace {

/// Entries along a path, and those at its beginning.
class Entries {
 public:
  Entries(const std::function<Evaluation(double t)>& at, Numbers weights, bool modes_reach)
      : at_(at), weights_(std::move(weights)), here_(at(0)()), moving_(here_.size(), false) {
    if (modes_reach) spread_ = spread_over_modes(at(0), here_);
    keep(0, here_);
    // Some entries stand still in small steps and move in larger ones.
    for (const double t : {kStep, -kStep}) {
      const Numbers there = numbers_at(t);
      for (std::size_t i = 0; i < here_.size(); ++i)
        moving_[i] = moving_[i] || i >= there.size() || !is_same(there[i], here_[i]);
    }
    if (std::find(moving_.begin(), moving_.end(), true) == moving_.end())
      moving_.assign(moving_.size(), true);
  }

  /// Some bits better than float64; NaN where it refuses points outside its domain.
  Wide sum_at(double t) const {
    const Numbers there = numbers_at(t);
    if (there.size() < here_.size()) return Wide(std::nan(""));
    long double sum = 0;
    for (std::size_t i = 0; i < here_.size(); ++i)
      if (!is_same(there[i], here_[i])) {
        moving_[i] = true;
        sum += static_cast<long double>(weights_[i]) *
               (static_cast<long double>(there[i]) - static_cast<long double>(here_[i]));
      }
    return Wide(sum);
  }

  /// The root of the sum of squares of what moves, and in units of 2^-52 what is lost on the stairs
  /// of entries that move with long steps only.
  double terms() const {
    double root = 0;  // squares may underflow
    for (std::size_t i = 0; i < here_.size(); ++i)
      if (const double term = weights_[i] * here_[i]; moving_[i] && std::isfinite(term))
        root = std::hypot(root, term);
    return root + stairs() * 0x1p52;
  }

  /// Whether every entry that moves at all has another value after each of the smallest steps.
  bool all_move() const {
    std::vector<Numbers> there{here_};
    for (const double t : {0x1p-32, -0x1p-32, 0x1p-31, -0x1p-31}) {
      there.push_back(numbers_at(t));
      if (there.back().size() != here_.size()) return false;
    }
    for (std::size_t i = 0; i < here_.size(); ++i) {
      if (!moving_[i] || weights_[i] == 0 || !std::isfinite(here_[i])) continue;
      for (std::size_t k = 0; k < there.size(); ++k)
        for (std::size_t other = 0; other < k; ++other)
          if (is_same(there[k][i], there[other][i])) return false;
    }
    return true;
  }

  /// The largest slope of the entries that stand still: what rounds away in the steps tried. A 0
  /// may be all that is left of what cancels: the roundings inside tell.
  double hidden() const {
    double sum = 0;
    for (std::size_t i = 0; i < here_.size(); ++i) {
      if (moving_[i] || !std::isfinite(here_[i])) continue;
      const double inside = i < spread_.size() && std::isfinite(spread_[i]) ? spread_[i] : 0;
      const double term = std::abs(weights_[i]) * std::max(0x1p-52 * std::abs(here_[i]), inside);
      if (std::isfinite(term)) sum += term;
    }
    return sum / kStep;
  }

  /// How far roundings inside move the sum at t; negative if there is no telling.
  double inner_at(double t) const {
    const Numbers spread = t == 0 ? spread_ : spread_at(t);
    if (spread.empty()) return t == 0 ? -1 : 0;
    double sum = 0;
    for (std::size_t i = 0; i < spread.size(); ++i)
      if (moving_.at(i) && std::isfinite(spread[i])) sum += std::abs(weights_[i]) * spread[i];
    return sum;
  }

 private:
  /// The weighted heights of stairs that roundings inside make: entries that stand still with the
  /// smallest steps, beside others that move, show them with the first step that moves them.
  double stairs() const {
    std::vector<bool> still = moving_;
    std::vector<double> height(here_.size(), 0);
    for (int exponent = 32; exponent >= 6; exponent -= 2) {
      bool any = false;
      for (const double t : {std::ldexp(1, -exponent), -std::ldexp(1, -exponent)}) {
        const Numbers there = numbers_at(t);
        for (std::size_t i = 0; i < std::min(here_.size(), there.size()); ++i) {
          if (!still[i] || is_same(there[i], here_[i])) continue;
          still[i] = false;
          const double one = std::abs(there[i] - here_[i]);
          if (exponent < 32 && one <= kHighestStairInside * std::max(1.0, std::abs(here_[i])))
            height[i] = one;
        }
      }
      for (std::size_t i = 0; i < here_.size(); ++i)
        any = any || (still[i] && weights_[i] != 0 && std::isfinite(here_[i]));
      if (!any) break;
    }
    double sum = 0;
    for (std::size_t i = 0; i < height.size(); ++i) sum += std::abs(weights_[i]) * height[i];
    return sum;
  }

  static bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
  /// Ladders, short and whole, and looks for stairs ask at the same steps: the function is called
  /// once for each. Empty if it refuses.
  Numbers numbers_at(double t) const {
    if (const auto known = known_.find(t); known != known_.end()) return known->second;
    try {
      const Numbers there = at_(t)();
      keep(t, there);
      return there;
    } catch (const std::exception&) {
      return {};
    }
  }
  void keep(double t, const Numbers& there) const {
    if (there.size() <= kMostKept) known_.emplace(t, there);
  }

  /// What roundings inside do to each entry; empty if there is no telling.
  Numbers spread_at(double t) const {
    const Numbers there = numbers_at(t);
    return there.empty() ? Numbers() : spread_over_modes(at_(t), there);
  }

  static constexpr double kStep = 0x1p-4;
  static constexpr std::size_t kMostKept = 4096;
  std::function<Evaluation(double t)> at_;
  Numbers weights_, here_, spread_;
  mutable std::vector<bool>
      moving_;  // in any step so far: some by a rounding, and only here and there
  mutable std::map<double, Numbers> known_;
};

}  // namespace

DoublePath path_of(const std::function<Evaluation(double t)>& at, Numbers weights, Device device) {
  const bool probed = modes_reach(device);
  const auto entries = std::make_shared<const Entries>(at, std::move(weights), probed);
  // What rounding x + t u to float64 costs scatters values, and so is part of the measured noise.
  DoublePath path{.at = [entries](double t) { return entries->sum_at(t); },
                  .terms = [entries] { return entries->terms(); },
                  .hidden = [entries] { return entries->hidden(); },
                  .opaque = true,
                  .moves = [entries] { return entries->all_move(); }};
  if (probed) path.inner = [entries](double t) { return entries->inner_at(t); };
  return path;
}

DoublePath opaque_path(const Subject& subject, const Direction& u, const Numbers& v) {
  const auto at = [&subject, u](double t) -> Evaluation {
    // Fresh tensors each time, in case it writes to them; that copies, and rounds nothing.
    return [&subject, x = point_along(subject.drawn, u, t)] {
      return numbers_of(run_plainly(subject, x));
    };
  };
  return path_of(at, v, subject.device);
}

Ladder opaque_ladder(const Subject& subject, const Direction& u, const Numbers& v) {
  return climb(opaque_path(subject, u, v));
}

Numbers scaled(Numbers steps, double share) {
  for (double& step : steps) step *= share;
  return steps;
}

Direction scaled(Direction u, double share) {
  for (Numbers& part : u.parts) part = scaled(std::move(part), share);
  return u;
}

bool is_confirmed(const std::function<Ladder(double share)>& ladder, Wide claimed) {
  const Slope one = ladder(1).slope, other = ladder(kConfirmingShare).slope;
  if (!one.finite || !other.finite) return one.finite == other.finite;
  const Wide again = other.value / Wide(kConfirmingShare);
  return magnitude(one.value - again) <= Wide(kLadderFactor) * (one.error + other.error) &&
         !(magnitude(claimed - again) <= Wide(kLadderFactor / kConfirmingShare) * other.error);
}

Slope numeric_slope(const Subject& subject, const Direction& u, Steps steps) {
  return subject.is_opaque() ? opaque_ladder(subject, u, subject.incoming()).slope
                             : slope(subject.path(u), steps);
}

Numbers unlike_numbers(const Subject& subject) {
  constexpr uint32_t kStream = 1 << 24;
  Numbers v;
  for (std::size_t i = 0; i < subject.incoming().size(); ++i)
    v.push_back(1 + keyed_bits(subject.drawn.key, kStream, i) * 0x1p-32);
  return v;
}

std::vector<ArgumentEntry> singular_entries(
    const Subject& subject, const std::function<Ladder(const Direction& u)>& ladder) {
  std::vector<ArgumentEntry> result;
  std::size_t looked_at = 0;
  for (std::size_t a : subject.real_arguments())
    for (std::size_t i = 0; i < subject.drawn.arguments[a].values.size(); ++i) {
      if (++looked_at > kMostSingularEntries) return result;
      const Ladder alone = ladder(one_hot(subject.drawn, a, i));
      if (!is_smooth(look(alone.samples, 0))) result.push_back({a, i});
    }
  return result;
}

std::vector<ArgumentEntry> singular_entries(const Subject& subject) {
  const Numbers v = unlike_numbers(subject);
  return singular_entries(subject,
                          [&](const Direction& u) { return opaque_ladder(subject, u, v); });
}

bool is_singular(const Subject& subject) { return !singular_entries(subject).empty(); }

Direction without(Direction u, const std::vector<ArgumentEntry>& entries) {
  for (const ArgumentEntry& one : entries)
    if (!u.parts[one.argument].empty()) u.parts[one.argument][one.index] = 0;
  return u;
}

bool is_still(const Direction& u) {
  return std::all_of(u.parts.begin(), u.parts.end(), [](const Numbers& part) {
    return std::all_of(part.begin(), part.end(), [](double step) { return step == 0; });
  });
}

}  // namespace notape::verify
