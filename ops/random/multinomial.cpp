// multinomial(w, n): indices drawn with probabilities w / sum(w). With replacement each is where
// the running sum of w passes a uniform number; without, the draws are the n smallest of
// exponential numbers of rate w (P. Efraimidis and P. Spirakis, "Weighted random sampling with a
// reservoir", 2006).
#include <algorithm>
#include <numeric>

#include "ops/core/promotion.h"
#include "ops/random.h"
#include "ops/random/overwrite.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// One row: `weights` (n), `uniform` as many as are needed, `result` (count).
void pick_with_replacement(const double* weights, int64_t n, const double* uniform, int64_t* result,
                           int64_t count) {
  std::vector<double> sums(static_cast<std::size_t>(n));
  std::partial_sum(weights, weights + n, sums.begin());
  const auto last = std::lower_bound(sums.begin(), sums.end(), sums.back());
  for (int64_t i = 0; i < count; ++i)
    result[i] =
        std::min(std::upper_bound(sums.begin(), sums.end(), uniform[i] * sums.back()), last) -
        sums.begin();
}

void pick_without_replacement(const double* weights, int64_t n, const double* uniform,
                              int64_t* result, int64_t count) {
  std::vector<double> keys(static_cast<std::size_t>(n));
  std::vector<int64_t> order(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = weights[i] > 0 ? -std::log1p(-uniform[i]) / weights[i]
                             : std::numeric_limits<double>::infinity();
  std::iota(order.begin(), order.end(), int64_t{0});
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int64_t a, int64_t b) {
    const double x = keys[static_cast<std::size_t>(a)], y = keys[static_cast<std::size_t>(b)];
    return x < y || (x == y && a < b);
  });
  std::copy_n(order.begin(), count, result);
}

void check_row(const Operation& op, const double* weights, int64_t n, int64_t needed) {
  double sum = 0;
  int64_t positive = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i]))
      op.fail<ValueError>("probability tensor contains either `inf`, `nan` or element < 0");
    sum += weights[i];
    positive += weights[i] > 0;
  }
  if (!(sum > 0) || std::isinf(sum))
    op.fail<ValueError>("invalid multinomial distribution (sum of probabilities is {})", sum);
  if (positive < needed)
    op.fail<ValueError>(
        "invalid multinomial distribution (with replacement=False, not enough non-negative "
        "category to sample)");
}

/// Of all rows of (.., n), float64 on the CPU: before anything is drawn.
void check_weights(const Operation& op, const Tensor& weights, int64_t needed) {
  const Tensor plain =
      is_batched(weights) ? with_batch_dims(weights, levels_of(weights), weights.dim()) : weights;
  const Tensor rows = raw_contiguous(plain);
  const int64_t n = rows.size(-1);
  int64_t count = 1;
  for (int64_t d = 0; d + 1 < rows.dim(); ++d) count *= rows.size(d);
  for (int64_t row = 0; row < count; ++row)
    check_row(op, rows.impl().data_as<double>() + row * n, n, needed);
}

/// weights (rows, n) and uniform (rows, ...), float64 on the CPU -> (rows, count)
Tensor pick(const Tensor& weights, const Tensor& uniform, int64_t count, bool replacement) {
  if (any_batched(weights, uniform))
    return over_batch(
        [&](int64_t size, const Tensor& w, const Tensor& u) {
          const auto flattened = [&](const Tensor& all) {
            return reshape(all, {size * all.size(1), all.size(2)});
          };
          return reshape(pick(flattened(w), flattened(u), count, replacement),
                         {size, weights.size(0), count});
        },
        weights, uniform);
  const int64_t rows = weights.size(0), n = weights.size(1);
  const Tensor result = allocate({rows, count}, kInt64, kCPU);
  const Tensor w = raw_contiguous(weights), u = raw_contiguous(uniform);
  for (int64_t row = 0; row < rows; ++row) {
    const double* of_row = w.impl().data_as<double>() + row * n;
    (replacement ? pick_with_replacement : pick_without_replacement)(
        of_row, n, u.impl().data_as<double>() + row * u.size(1),
        result.impl().data_as<int64_t>() + row * count, count);
  }
  return result;
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
  const Tensor plain = raw_alias(self, self.impl().geometry());
  const Tensor weights = core_operators->convert(plain, kFloat64, kCPU);
  check_weights(op, weights, replacement ? 0 : int64_t{num_samples});
  const Tensor rows = self.dim() == 2 ? weights : reshape(weights, {1, self.size(0)}, at);
  const Tensor uniform =
      draw_of_uniform(op.name, {rows.size(0), replacement ? int64_t{num_samples} : self.size(-1)},
                      kFloat64, [](double u) { return u; });
  const Tensor drawn = pick(rows, uniform, num_samples, replacement);
  const Tensor result = self.dim() == 2 ? drawn : reshape(drawn, {num_samples}, at);
  return core_operators->convert(result, kInt64, self.device().of_samples());
}

Tensor RandomMembers::multinomial(Integer num_samples, bool replacement, At at) const {
  return notape::multinomial(self(), num_samples, replacement, at);
}

}  // namespace notape
