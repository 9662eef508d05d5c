// LongInputs, by slopes: what takes nothing for granted that is right at other lengths.
#include <algorithm>
#include <cmath>
#include <optional>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "verify/checks/long_inputs.h"
#include "verify/checks/long_inputs_numbers.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

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

/// A call on longer inputs, a little apart from where copies of one case tie, and its slope along
/// random directions.
class LongCallSlope {
 public:
  LongCallSlope(const Subject& subject, const variable_list& given);

  bool has_gradient() const { return output_.requires_grad() && output_.numel() > 0; }
  /// What the gradient claims along a direction, and what differences say.
  struct Wrong {
    double claimed, slope;
  };
  /// None if the gradient is right there, or nothing can be said.
  std::optional<Wrong> wrong_along(uint32_t direction) const;

 private:
  /// A direction, and <gradient, u> with the size of its terms.
  struct Way {
    variable_list u;
    Direction steps;
    double claimed = 0, squares = 0, lengths = 0;
  };
  struct Slopes {
    std::array<double, 3> of, kinks;

    double steepest() const {
      return std::max({std::abs(of[0]), std::abs(of[1]), std::abs(of[2])});
    }
    bool are_settled(double size, double lost) const;
  };

  Tensor untied(const Tensor& x, std::size_t argument) const;
  /// Signs, or numbers between 0.5 and 1.5 with random signs.
  Tensor random(const Tensor& like, uint32_t stream, bool signs) const;
  variable_list gradients_of(const Tensor& output) const;
  Way way_of(uint32_t direction) const;
  Slopes slopes_along(const variable_list& u, const Tensor& here) const;
  /// <gradient, u> once more, as roundings in another mode make it.
  double claimed_again(const variable_list& u) const;

  const Subject& subject_;
  variable_list inputs_, active_, gradients_, x_;
  Tensor output_, incoming_;
};

LongCallSlope::LongCallSlope(const Subject& subject, const variable_list& given)
    : subject_(subject), inputs_(given) {
  for (std::size_t a : subject_.real_arguments())
    active_.push_back(inputs_[a] = untied(given[a], a).requires_grad_(true));
  x_ = as_doubles(inputs_);
  output_ = subject_.drawn.op.call(inputs_);
  if (!has_gradient()) return;
  incoming_ = random(output_, 0, false);
  gradients_ = gradients_of(output_);
}

Tensor LongCallSlope::untied(const Tensor& x, std::size_t argument) const {
  const Domain& domain = subject_.drawn.arguments[argument].argument.domain;
  Numbers values = numbers_of(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = 0x1p-38 * keyed_bits(subject_.drawn.key,
                                              kLongStream + 8 + static_cast<uint32_t>(argument), i);
    values[i] += share * ((values[i] < domain.high ? domain.high : domain.low) - values[i]);
  }
  return make_tensor(values, x.sizes().vec(), x.dtype(), subject_.device);
}

Tensor LongCallSlope::random(const Tensor& like, uint32_t stream, bool signs) const {
  Tensor result = empty(like.sizes(), dtype(kFloat64));
  for (int64_t i = 0; i < like.numel(); ++i) {
    const uint32_t bits =
        keyed_bits(subject_.drawn.key, kLongStream + stream, static_cast<std::size_t>(i));
    const double size = signs ? 1 : 0.5 + (bits >> 1) * 0x1p-31;
    result.data_ptr<double>()[i] = bits & 1 ? size : -size;
  }
  return result.to(like.device());
}

variable_list LongCallSlope::gradients_of(const Tensor& output) const {
  return autograd::grad({output}, active_, {incoming_.to(output.dtype())}, false, false, true);
}

double LongCallSlope::claimed_again(const variable_list& u) const {
  const EnableGradGuard recording;
  const variable_list found = gradients_of(subject_.drawn.op.call(inputs_));
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].defined())
      sum += number((found[i].to(kFloat64) * u[subject_.real_arguments()[i]]).sum());
  return sum;
}

LongCallSlope::Way LongCallSlope::way_of(uint32_t direction) const {
  Way way;
  way.u.resize(inputs_.size());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const std::size_t a = subject_.real_arguments()[i];
    const double unit = power_of_two_below(typical_size(subject_.drawn.arguments[a].values));
    Tensor& u = way.u[a];
    u = random(inputs_[a], 16 * direction + static_cast<uint32_t>(a), true) * unit;
    way.steps.parts.push_back(numbers_of(u));
    way.lengths += number((u * u).sum());
    if (!gradients_[i].defined()) continue;
    const Tensor terms = gradients_[i].to(kFloat64) * u;
    way.claimed += number(terms.sum());
    way.squares += number((terms * terms).sum());
  }
  return way;
}

LongCallSlope::Slopes LongCallSlope::slopes_along(const variable_list& u,
                                                  const Tensor& here) const {
  Slopes result;
  for (std::size_t i = 0; i < result.of.size(); ++i) {
    const double step = std::ldexp(1, -13 - 3 * static_cast<int>(i));
    const auto at = [&](double t) {
      variable_list moved = x_;
      for (std::size_t a : subject_.real_arguments()) moved[a] = x_[a] + u[a] * t;
      return subject_.drawn.op.call(moved);
    };
    const Tensor above = at(step), below = at(-step);
    result.of[i] = apart(above, below, incoming_) / (2 * step);
    result.kinks[i] =
        std::abs(apart(above, here, incoming_) - apart(here, below, incoming_)) / step;
  }
  return result;
}

bool LongCallSlope::Slopes::are_settled(double size, double lost) const {
  const double coarse = std::abs(of[0] - of[1]), fine = std::abs(of[1] - of[2]);
  const bool settled = std::max(coarse, fine) <= std::min(1e-5 * size, 0.02 * steepest() + lost) &&
                       fine <= coarse + lost;
  const bool smooth = kinks[2] <= std::max(1e-4 * size, kinks[1] / 4);  // in an eighth of the step
  return settled && smooth;
}

std::optional<LongCallSlope::Wrong> LongCallSlope::wrong_along(uint32_t direction) const {
  const NoGradGuard no_grad;
  const Way way = way_of(direction);
  if (!std::isfinite(way.claimed)) return {};
  const Tensor here = subject_.drawn.op.call(x_);
  // Where values hardly move, roundings inside may be all that does.
  const double lost = 0x1p-24 * std::max(number((here * incoming_).abs().sum()), 1.0);
  const Slopes slopes = slopes_along(way.u, here);
  const double slope = slopes.of[1], off = std::abs(way.claimed - slope);
  // A gradient of nothing but zeros says nothing of how large it should be.
  const double size = std::max(std::sqrt(way.squares), slopes.steepest());
  // What stands still may be rounded to float32 inside: then the steps hide so much. And the
  // gradient of a saturated result may have been rounded to nothing in every mode.
  const double hidden = slopes.steepest() == 0 ? std::ldexp(lost, 13) : 0;
  const double saturated =
      kSaturatedRoundings * epsilon_of(subject_.dtype) * std::sqrt(way.lengths);
  const auto allowed =
      hidden + saturated + static_cast<double>(subject_.allowance(way.steps, Wide(slope)));
  if (!slopes.are_settled(size, lost) || !(off > std::max(2e-3 * size, lost) + allowed)) return {};
  const Numbers rounding =
      spread_over_modes([&] { return Numbers{claimed_again(way.u)}; }, {way.claimed});
  if (!rounding.empty() && off <= kRoundingsApart * rounding[0]) return {};
  return Wrong{way.claimed, slope};
}

}  // namespace

bool LongInputs::is_confirmed_by_slope(const variable_list& inputs, const Tensor& incoming,
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
      moved[argument].view({-1}).select(0, entry).add_(t);
      return subject_.drawn.op.call(moved);
    };
    slopes[i] = apart(at(step), at(-step), v) / (2 * step);
  }
  const double most = std::abs(std::isfinite(got) ? wanted - got : wanted) / 4;
  return std::abs(slopes[0] - slopes[1]) <= most && std::abs(slopes[1] - wanted) <= most;
}

/// <J^T v, u> against differences along u, which takes all entries along. A wrong block is a share
/// of that; what is wrong along one direction must be along another.
std::string LongInputs::judge_by_slope(int64_t length, const variable_list& given) {
  if (length == 0) return "";
  const LongCallSlope call(subject_, given);
  if (!call.has_gradient()) return "";
  std::optional<LongCallSlope::Wrong> wrong;
  for (uint32_t direction = 1; direction <= 2; ++direction) {
    wrong = call.wrong_along(direction);
    if (!wrong) return "";
  }
  return format_message(
      "for {} rows the gradient gives {} along a direction, the numeric slope is {}",
      {length, number_text(wrong->claimed, kFloat32), number_text(wrong->slope, kFloat32)});
}

}  // namespace notape::verify
