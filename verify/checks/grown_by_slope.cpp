// Grown, by slopes: what takes nothing for granted that is right at other lengths.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/grown.h"
#include "verify/checks/grown_numbers.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// Roundings of a number of size 1, as slopes.
constexpr double kSaturated = 8;

/// Exact at x; NaN where the difference is none.
double apart(const Tensor& plus, const Tensor& minus, const Tensor& v) {
  return number(((plus - minus) * v).sum());
}
/// In float64, constants of no kind.
variable_list as_doubles(const variable_list& inputs) {
  variable_list result;
  for (const Tensor& input : inputs)
    result.push_back(input.is_floating_point() ? input.detach().to(kFloat64) : input);
  return result;
}

}  // namespace

bool Grown::is_confirmed_by_slope(const variable_list& inputs, const Tensor& incoming,
                                  std::size_t argument, int64_t entry, double wanted,
                                  double got) const {
  const NoGradGuard no_grad;
  const variable_list x = as_doubles(inputs);
  const Tensor v = incoming.to(kFloat64);
  const double here = number(x[argument].reshape({-1}).select(0, entry));
  double slopes[2];
  for (int i = 0; i < 2; ++i) {
    const double step = std::ldexp(here == 0 ? 1 : power_of_two_below(std::abs(here)), -11 - 4 * i);
    const auto at = [&](double t) {
      variable_list moved = x;
      moved[argument] = x[argument].contiguous().clone();
      moved[argument].data_ptr<double>()[entry] += t;
      return subject_.drawn.op.call(moved);
    };
    slopes[i] = apart(at(step), at(-step), v) / (2 * step);
  }
  const double most = std::abs(std::isfinite(got) ? wanted - got : wanted) / 4;
  return std::abs(slopes[0] - slopes[1]) <= most && std::abs(slopes[1] - wanted) <= most;
}

/// Copies of one case tie; a little apart they do not.
Tensor Grown::untied(const Tensor& x, std::size_t argument) const {
  const Domain& domain = subject_.drawn.arguments[argument].argument.domain;
  Numbers values = numbers_of(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share =
        0x1p-38 *
        keyed_bits(subject_.drawn.key, kGrownStream + 8 + static_cast<uint32_t>(argument), i);
    values[i] += share * ((values[i] < domain.high ? domain.high : domain.low) - values[i]);
  }
  return make_tensor(values, x.sizes().vec(), x.dtype(), subject_.device);
}

/// <J^T v, u> against differences along u, which takes all entries along. A wrong block is a share
/// of that; what is wrong along one direction must be along another.
std::string Grown::judge_by_slope(int64_t length, const variable_list& given) {
  if (length == 0) return "";
  variable_list inputs = given, active;
  for (std::size_t a : subject_.real_arguments())
    active.push_back(inputs[a] = untied(given[a], a).requires_grad_(true));
  const Tensor output = subject_.drawn.op.call(inputs);
  if (!output.requires_grad() || output.numel() == 0) return "";
  const auto random = [&](const Tensor& like, uint32_t stream, bool signs) {
    Tensor result = empty(like.sizes(), dtype(kFloat64));
    for (int64_t i = 0; i < like.numel(); ++i) {
      const uint32_t bits =
          keyed_bits(subject_.drawn.key, kGrownStream + stream, static_cast<std::size_t>(i));
      const double size = signs ? 1 : 0.5 + (bits >> 1) * 0x1p-31;
      result.data_ptr<double>()[i] = bits & 1 ? size : -size;
    }
    return result;
  };
  const Tensor v = random(output, 0, false);
  const auto gradients =
      autograd::grad({output}, active, {v.to(output.dtype())}, false, false, true);
  // <gradient, u> once more, as roundings in another mode make it.
  const auto claimed_again = [&](const variable_list& u) {
    const EnableGradGuard recording;
    const Tensor again = subject_.drawn.op.call(inputs);
    const auto found = autograd::grad({again}, active, {v.to(output.dtype())}, false, false, true);
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].defined())
        sum += number((found[i].to(kFloat64) * u[subject_.real_arguments()[i]]).sum());
    return Numbers{sum};
  };
  const NoGradGuard no_grad;
  const variable_list x = as_doubles(inputs);
  double slope = 0, claimed = 0;
  for (uint32_t direction = 1; direction <= 2; ++direction) {
    variable_list u(inputs.size());
    double sum = 0, squares = 0, lengths = 0;
    Direction steps;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const std::size_t a = subject_.real_arguments()[i];
      const double unit = power_of_two_below(typical_size(subject_.drawn.arguments[a].values));
      u[a] = random(inputs[a], 16 * direction + static_cast<uint32_t>(a), true) * unit;
      steps.parts.push_back(numbers_of(u[a]));
      lengths += number((u[a] * u[a]).sum());
      if (!gradients[i].defined()) continue;
      const Tensor terms = gradients[i].to(kFloat64) * u[a];
      sum += number(terms.sum());
      squares += number((terms * terms).sum());
    }
    if (!std::isfinite(sum)) return "";
    const Tensor here = subject_.drawn.op.call(x);
    // Where values hardly move, roundings inside may be all that does.
    const double lost = 0x1p-24 * std::max(number((here * v).abs().sum()), 1.0);
    double slopes[3], kinks[3];
    for (int i = 0; i < 3; ++i) {
      const double step = std::ldexp(1, -13 - 3 * i);
      const auto at = [&](double t) {
        variable_list moved = x;
        for (std::size_t a : subject_.real_arguments()) moved[a] = x[a] + u[a] * t;
        return subject_.drawn.op.call(moved);
      };
      const Tensor above = at(step), below = at(-step);
      slopes[i] = apart(above, below, v) / (2 * step);
      kinks[i] = std::abs(apart(above, here, v) - apart(here, below, v)) / step;
    }
    const double coarse = std::abs(slopes[0] - slopes[1]), fine = std::abs(slopes[1] - slopes[2]);
    const double off = std::abs(sum - slopes[1]);
    const double steepest =
        std::max({std::abs(slopes[0]), std::abs(slopes[1]), std::abs(slopes[2])});
    // A gradient of nothing but zeros says nothing of how large it should be.
    const double size = std::max(std::sqrt(squares), steepest);
    const bool settled = std::max(coarse, fine) <= std::min(1e-5 * size, 0.02 * steepest + lost) &&
                         fine <= coarse + lost;
    const bool smooth =
        kinks[2] <= std::max(1e-4 * size, kinks[1] / 4);  // in an eighth of the step
    // What stands still may be rounded to float32 inside: then the steps hide so much. And the
    // gradient of a saturated result may have been rounded to nothing in every mode.
    const double hidden = steepest == 0 ? std::ldexp(lost, 13) : 0;
    const double saturated = kSaturated * epsilon_of(subject_.dtype) * std::sqrt(lengths);
    const auto allowed =
        hidden + saturated + static_cast<double>(subject_.allowance(steps, Wide(slopes[1])));
    if (!settled || !smooth || !(off > std::max(2e-3 * size, lost) + allowed)) return "";
    const Numbers rounding = spread_over_modes([&] { return claimed_again(u); }, {sum});
    if (!rounding.empty() && off <= kRoundingsApart * rounding[0]) return "";
    slope = slopes[1];
    claimed = sum;
  }
  return format_message(
      "for {} rows the gradient gives {} along a direction, the numeric slope is {}",
      {length, number_text(claimed, kFloat32), number_text(slope, kFloat32)});
}

}  // namespace notape::verify
