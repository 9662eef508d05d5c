// multinomial(w, n): indices drawn with probabilities w / sum(w). With replacement each is where
// the running sum of w passes a uniform number; without, the draws are the n smallest of
// exponential numbers of rate w (P. Efraimidis and P. Spirakis, "Weighted random sampling with a
// reservoir", 2006).
#include <limits>

#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/check_values.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/random.h"
#include "ops/random/overwrite.h"
#include "ops/reduce.h"
#include "ops/reduce/ordering.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// Of all rows of (rows, n), float64: before anything is drawn.
void check_weights(const Operation& op, const Tensor& weights, int64_t needed) {
  using Limits = std::numeric_limits<double>;
  constexpr const char* kSum = "invalid multinomial distribution (sum of probabilities is {})";
  if (weights.size(1) == 0 && weights.size(0) > 0) op.fail<ValueError>(kSum, 0);
  check_values(
      op, weights,
      {0, Limits::max(), "probability tensor contains either `inf`, `nan` or element < 0"});
  check_values(op, sum(weights, {1}), {Limits::denorm_min(), Limits::max(), kSum});
  if (needed > 0)
    check_values(op, sum(to(gt(weights, 0), kFloat64), {1}),
                 {static_cast<double>(needed), HUGE_VAL,
                  "invalid multinomial distribution (with replacement=False, not enough "
                  "non-negative category to sample)"});
}

Tensor pick_with_replacement(const Tensor& weights, const Tensor& uniform) {
  const int64_t n = weights.size(1);
  const Tensor sums = cumsum(weights, 1), all = narrow(sums, 1, n - 1, 1);
  // A number that rounds up to the sum of all would lead behind the last weight above 0.
  return minimum(searchsorted(sums, uniform * all, false, true), searchsorted(sums, all));
}

Tensor pick_without_replacement(const Operation& op, const Tensor& weights,
                                const Tensor& exponential, int64_t count) {
  const Tensor keys =
      where(gt(weights, 0), exponential / weights, std::numeric_limits<double>::infinity());
  return raw_order(op, keys, 1, count, false)[1];
}

void check(const Operation& op, const Tensor& self, int64_t num_samples, bool replacement) {
  check_operand(op, self);
  if (self.dim() != 1 && self.dim() != 2)
    op.fail<ShapeError>("prob_dist must be 1 or 2 dim, but has size {}", to_string(self.sizes()));
  check_floating(op, self);
  if (num_samples <= 0) op.fail<ValueError>("cannot sample n_sample <= 0 samples");
  if (!replacement && num_samples > self.size(-1))
    op.fail<ValueError>("cannot sample n_sample > prob_dist.size(-1) samples without replacement");
}

}  // namespace

Tensor multinomial(const Tensor& self, Integer num_samples, bool replacement, At at) {
  const Operation op("multinomial", at);
  check(op, self, num_samples, replacement);
  const int64_t count = num_samples, n = self.size(-1);
  const Device device = self.device();
  const Composite composite({&self});
  const NoGradGuard no_grad;
  const Tensor converted = to(self.detach(), kFloat64),
               rows = self.dim() == 2 ? converted : unsqueeze(converted, 0);
  check_weights(op, rows, replacement ? 0 : count);
  const auto draw = [&](int64_t numbers, const RandomElements& elements) {
    return draw_elements(op, {rows.size(0), numbers}, kFloat64, device, elements);
  };
  if (rows.size(0) == 0) return zeros({0, count}, TensorOptions(kInt64).device(device));
  const Tensor drawn =
      replacement ? pick_with_replacement(rows, draw(count, UniformBelowOne()))
                  : pick_without_replacement(op, rows, draw(n, ExponentialOfRate(1)), count);
  return self.dim() == 2 ? drawn : squeeze(drawn, 0);
}

Tensor RandomMembers::multinomial(Integer num_samples, bool replacement, At at) const {
  return notape::multinomial(self(), num_samples, replacement, at);
}

}  // namespace notape
