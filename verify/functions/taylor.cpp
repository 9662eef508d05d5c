#include "verify/taylor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "autograd/autograd.h"
#include "verify/generate/drawn_case.h"
#include "verify/numeric/direction.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

constexpr int kLongest = 2, kShortest = 28;  // 2^-2 ... 2^-28
constexpr std::size_t kLeastLevels = 5, kMostLevels = 8;

class Model {
 public:
  Model(const std::function<Tensor(const variable_list&)>& f, const variable_list& inputs,
        uint64_t seed)
      : f_(f), inputs_(inputs), u_(inputs.size()) {
    for (std::size_t a = 0; a < inputs.size(); ++a) {
      if (!inputs[a].defined() || !inputs[a].requires_grad()) continue;
      active_.push_back(inputs[a]);
      const Numbers x = numbers_of(inputs[a].detach());
      const double size = power_of_two_below(typical_size(x));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const uint32_t bits = keyed_bits(static_cast<uint32_t>(seed), static_cast<uint32_t>(a), i);
        u_[a].push_back(bits & 1 ? size : -size);
      }
      entries_ += x.size();
    }
    if (active_.empty()) throw ValueError("taylor_slope: no input requires grad");
  }

  std::size_t entries() const { return entries_; }

  double value_at(double t) const {
    const NoGradGuard no_grad;
    variable_list moved = inputs_;
    for (std::size_t a = 0; a < inputs_.size(); ++a) {
      if (u_[a].empty()) continue;
      Numbers x = numbers_of(inputs_[a].detach());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * u_[a][i];
      moved[a] = make_tensor(x, inputs_[a].sizes().vec(), inputs_[a].dtype(), inputs_[a].device());
    }
    return number_of(f_(moved));
  }

  /// <g, u>
  double directional() const {
    const EnableGradGuard recording;
    const Tensor y = f_(inputs_);
    number_of(y);
    const auto gradients = autograd::grad({y}, active_, {}, false, false, true);
    long double sum = 0;
    std::size_t next = 0;
    for (std::size_t a = 0; a < inputs_.size(); ++a) {
      if (!inputs_[a].defined() || !inputs_[a].requires_grad()) continue;
      const Tensor& g = gradients[next++];
      if (!g.defined()) continue;
      const Numbers numbers = numbers_of(g);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        sum += static_cast<long double>(numbers[i]) * u_[a][i];
    }
    return static_cast<double>(sum);
  }

 private:
  static double number_of(const Tensor& y) {
    if (!y.defined() || y.numel() != 1 || y.dtype() != kFloat64)
      throw ValueError("taylor_slope: the function has to give one float64 number");
    return y.item<double>();
  }

  const std::function<Tensor(const variable_list&)>& f_;
  const variable_list& inputs_;
  variable_list active_;
  std::vector<Numbers> u_;  // empty for what does not move
  std::size_t entries_ = 0;
};

/// From differences of high order at points so near that f is a polynomial there (J. More, S. Wild,
/// "Estimating computational noise", 2011).
double noise_of(const Model& model, double here) {
  constexpr int kSamples = 9;
  constexpr double kSpacing = 0x1p-30;
  std::vector<double> differences;
  double largest = std::abs(here);
  for (int i = 0; i < kSamples; ++i) {
    differences.push_back(model.value_at((i - kSamples / 2) * kSpacing));
    largest = std::max(largest, std::abs(differences.back()));
  }
  double least = HUGE_VAL, factor = 1;  // (j!)^2 / (2j)!
  for (int j = 1; j <= 6; ++j) {
    for (std::size_t i = 0; i + 1 < differences.size(); ++i)
      differences[i] = differences[i + 1] - differences[i];
    differences.pop_back();
    factor *= static_cast<double>(j) / (2 * (2 * j - 1));
    if (j < 3) continue;
    double sum = 0;
    for (double one : differences) sum += one * one;
    least = std::min(least, std::sqrt(factor * sum / static_cast<double>(differences.size())));
  }
  return std::max(0x1p-52 * largest, 4 * least);
}

/// Whether a remainder that has fallen with h all along is gone at once, with the next shorter
/// step: there lies a kink of f. That of a wrong gradient falls with h on and on.
bool breaks_off(const TaylorReport& report, const TaylorLevel& last) {
  for (const TaylorLevel& level : report.levels) {
    if (level.step >= last.step) continue;
    return 8 * (level.remainder + report.noise) < last.remainder * level.step / last.step;
  }
  return false;
}

/// Least squares: the power of h with which the remainder of these levels falls.
double slope_of(std::span<const TaylorLevel> levels) {
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  const auto count = static_cast<double>(levels.size());
  for (const TaylorLevel& level : levels) {
    mean_x += std::log2(level.step) / count;
    mean_y += std::log2(level.remainder) / count;
  }
  for (const TaylorLevel& level : levels) {
    const double x = std::log2(level.step) - mean_x;
    xx += x * x;
    xy += x * (std::log2(level.remainder) - mean_y);
  }
  return xy / xx;
}

/// Of the clear levels with the shortest steps, five to eight of them: there a wrong gradient shows
/// most, and beyond them the remainder may have crossed kinks, or 0.
void fit(TaylorReport& report) {
  std::vector<TaylorLevel> clear;
  for (const TaylorLevel& level : report.levels) {
    if (level.clear)
      clear.push_back(level);
    else if (!clear.empty())
      break;
  }
  if (clear.empty()) {
    report.slope = HUGE_VAL;
    report.verdict = Verdict::Pass;
    report.reason = "the remainder is below the noise for every step: linear along the direction";
    return;
  }
  if (clear.size() < kLeastLevels) {
    report.reason = fmt::format("only {} levels are clear of noise", clear.size());
    return;
  }
  report.slope = -HUGE_VAL;
  for (std::size_t n = kLeastLevels; n <= std::min(kMostLevels, clear.size()); ++n)
    report.slope = std::max(report.slope, slope_of(std::span(clear).last(n)));
  report.reason = fmt::format(
      "the remainder falls with the step to the power of {:.2f}; 2 is right", report.slope);
  if (report.slope >= kLeastRemainderSlope) {
    report.verdict = Verdict::Pass;
  } else if (breaks_off(report, clear.back())) {
    report.reason += ", but a kink lies between the shortest steps";
  } else {
    report.verdict = Verdict::Fail;
  }
}

}  // namespace

std::string TaylorReport::text() const {
  std::string text = fmt::format("{}: {}\n{:>12} {:>14} {:>8}\n", name_of(verdict), reason, "step",
                                 "remainder", "falls");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const TaylorLevel& level = levels[i];
    const double before = i > 0 ? levels[i - 1].remainder : 0;
    text += fmt::format("{:>12.3e} {:>14.6e} {:>8}\n", level.step, level.remainder,
                        !level.clear ? "noise"
                        : before > 0 ? fmt::format("{:.2f}x", before / level.remainder)
                                     : "");
  }
  return text + fmt::format("noise of the values {:.1e}, directional derivative {:.17g}\n", noise,
                            directional);
}

TaylorReport taylor_slope(const std::function<Tensor(const variable_list&)>& f,
                          const variable_list& inputs, uint64_t seed) {
  const Model model(f, inputs, seed);
  TaylorReport report;
  if (model.entries() == 0) {
    report.verdict = Verdict::Vacuous;
    report.reason = "the inputs have no entries";
    return report;
  }
  report.directional = model.directional();
  const double here = model.value_at(0);
  if (!std::isfinite(here) || !std::isfinite(report.directional)) {
    report.verdict = Verdict::Nonfinite;
    report.reason = "the value or the gradient is not finite";
    return report;
  }
  report.noise = noise_of(model, here);
  for (int k = kLongest; k <= kShortest; ++k) {
    const double h = std::ldexp(1.0, -k);
    const double there = model.value_at(h);
    if (!std::isfinite(there)) continue;  // a long step may leave the domain
    const double remainder = std::abs(there - here - h * report.directional);
    report.levels.push_back({h, remainder, remainder > kClearRemainder * report.noise});
  }
  fit(report);
  return report;
}

}  // namespace notape::verify
