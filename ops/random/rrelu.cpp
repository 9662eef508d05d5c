// rrelu(x) = x where x >= 0, else a x: in training with an a drawn for each entry, which the
// derivative uses, too, otherwise with the mean of the two bounds. At 0 the derivative is the one
// of least norm between a and 1, as for leaky_relu.
#include <cmath>

#include "autograd/tensor/factories.h"
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/random/draw_mask.h"
#include "ops/random/overwrite.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

struct SlopeBounds {
  double lower, upper;
  double mean() const { return (lower + upper) / 2; }
};

SlopeBounds bounds_of(const Operation& op, const Tensor& self, Scalar lower, Scalar upper) {
  check_operand(op, self);
  check_floating(op, self);
  const SlopeBounds bounds{lower.to<double>(), upper.to<double>()};
  if (!std::isfinite(bounds.lower))
    op.fail<ValueError>("lower bound must be finite, got {}", bounds.lower);
  if (!std::isfinite(bounds.upper))
    op.fail<ValueError>("upper bound must be finite, got {}", bounds.upper);
  if (bounds.lower > bounds.upper)
    op.fail<ValueError>(
        "lower bound should be less than or equal to the upper bound, got {} and {}", bounds.lower,
        bounds.upper);
  check_fits(op, lower, self.dtype());
  check_fits(op, upper, self.dtype());
  return bounds;
}

/// What each entry is multiplied by, and its gradient.
Tensor factors(const Operation& op, const Tensor& self, const SlopeBounds& bounds, bool training) {
  const Tensor x = self.detach();
  const Tensor a = training ? draw_elements(op, x.sizes(), x.dtype(), x.device(),
                                            UniformOfDouble(bounds.lower, bounds.upper))
                            : full_like(x, bounds.mean());
  const Tensor below = where(eq(x, 0, op.at), clamp(a, 0, 1, op.at), a, op.at);
  return masked_fill(below, gt(x, 0, op.at), 1, op.at);
}

OpCase draw_rrelu(Draw& draw) {
  const double lower = draw.real(-1, 1), upper = lower + draw.real(0, 1);
  const bool training = draw.integer(0, 3) > 0;
  const auto seed = static_cast<uint64_t>(draw.integer(0, 1 << 20));
  OpCase one;
  one.label = format_message("lower={}, upper={}, seed={}{}",
                             {lower, upper, seed, training ? "" : ", not training"});
  one.arguments = {{.sizes = draw.shape(0, 4), .domain = {.low = -3, .high = 3, .kinks = {0}}}};
  one.call = [=](const variable_list& x) {
    const SeedScope scope(seed);
    return rrelu(x[0], lower, upper, training);
  };
  one.call_in_place = [=](variable_list& x) {
    const SeedScope scope(seed);
    rrelu_(x[0], lower, upper, training);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const SeedScope scope(seed);
    PlainTensor<T> result = x[0];
    std::vector<double> drawn(result.values.size(), 0.5);
    if (training) RandomStream(default_generator()).uniform(0, result.numel(), drawn.data());
    for (std::size_t i = 0; i < drawn.size(); ++i)
      if (T& value = result.values[i]; value < T(0)) value *= T(lower + (upper - lower) * drawn[i]);
    return result;
  };
  return one;
}

const RegisterOp rrelu_row({.name = "rrelu", .family = "random", .draw = draw_rrelu});

}  // namespace

Tensor rrelu(const Tensor& self, Scalar lower, Scalar upper, bool training, At at) {
  const Operation op("rrelu", at);
  const SlopeBounds bounds = bounds_of(op, self, lower, upper);
  if (!training) return leaky_relu(self, bounds.mean(), at);
  const Composite composite({&self});
  return mul(self, factors(op, self, bounds, true), at);
}

Tensor& rrelu_(Tensor& self, Scalar lower, Scalar upper, bool training, At at) {
  const Operation op("rrelu_", at);
  const SlopeBounds bounds = bounds_of(op, self, lower, upper);
  if (!training && bounds.mean() >= 0) return leaky_relu_(self, bounds.mean(), at);
  if (training)
    check_to_overwrite(op, self);
  else
    check_write(op, self, {});
  const Composite composite({&self});
  return mul_(self, factors(op, self, bounds, training), at);
}

}  // namespace notape
