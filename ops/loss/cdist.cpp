// cdist(a, b)[.., i, j] = |a_i - b_j|_p for the rows of a and of b: the norm of their differences
// (.., n, m, d), of which those that are 0 are left out, so that derivatives are 0 there.
#include <cmath>
#include <limits>

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// x^p where x > 0, else 0 as its derivatives.
Tensor power_of_positive(const Tensor& x, double p, At at) {
  const Tensor none = eq(x, 0, at);
  return masked_fill(pow(masked_fill(x, none, 1, at), p, at), none, 0, at);
}

/// Over the last dimension of z.
Tensor length_of(const Tensor& z, double p, At at) {
  if (p == 0) {
    const Tensor counted = masked_fill(masked_fill(z, eq(z, 0, at), 0, at), ne(z, 0, at), 1, at);
    const Tensor each = masked_fill(counted, isnan(z, at), kNan, at);
    return sum(each, -1, false, at);
  }
  if (p == 1) return sum(abs(z, at), -1, false, at);
  if (p == 2) return linalg_vector_norm(z, 2, {-1}, false, {}, at);
  if (std::isinf(p)) return amax(abs(z, at), -1, false, at);
  return power_of_positive(sum(power_of_positive(abs(z, at), p, at), -1, false, at), 1 / p, at);
}

void check_cdist(const Operation& op, const Tensor& x1, const Tensor& x2, double p,
                 std::optional<int64_t> compute_mode) {
  check_operands(op, {&x1, &x2});
  for (const Tensor* x : {&x1, &x2}) {
    const char* const name = x == &x1 ? "X1" : "X2";
    if (!x->is_floating_point())
      op.fail<DtypeError>("only supports floating-point dtypes, {} got: {}", name,
                          name_of(x->dtype()));
    if (x->dim() < 2)
      op.fail<ShapeError>("only supports at least 2D tensors, {} got: {}D", name, x->dim());
  }
  if (x1.size(-1) != x2.size(-1))
    op.fail<ShapeError>("X1 and X2 must have the same number of columns. X1: {} X2: {}",
                        x1.size(-1), x2.size(-1));
  if (!(p >= 0)) op.fail<ValueError>("only supports non-negative p values, got {}", p);
  if (compute_mode && (*compute_mode < 0 || *compute_mode > 2))
    op.fail<ValueError>("possible modes: 0, 1, 2, but was: {}", *compute_mode);
  const auto batch = [](const Tensor& x) {
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.resize(sizes.size() - 2);
    return sizes;
  };
  broadcast_sizes(op, batch(x1), batch(x2));
}

template <typename T>
T plain_length(const std::vector<T>& z, double p) {
  T total = 0;
  for (const T& one : z) {
    const T size = one < T(0) ? -one : one;
    if (p == 0)
      total += one == T(0) ? T(0) : one == one ? T(1) : one;
    else if (std::isinf(p))
      total = size > total ? size : total;
    else if (size > T(0))
      total += math::exp(T(p) * math::log(size));
  }
  if (p == 0 || std::isinf(p) || !(total > T(0))) return total;
  return math::exp(math::log(total) / T(p));
}

OpCase draw_cdist(Draw& draw) {
  constexpr double powers[] = {2, 1, 3, 1.5, 0.5, 0};
  const bool largest = draw.integer(0, 3) == 3;
  const double p = largest ? HUGE_VAL : powers[draw.integer(0, 5)];
  const auto batch = draw.shape(0, 2, 0, 2);
  std::vector<int64_t> first = draw.broadcast_of(batch), second = batch;
  const int64_t n = draw.integer(0, 3), m = draw.integer(0, 3),
                d = draw.integer(largest ? 2 : 0, 3);
  first.insert(first.end(), {n, d});
  second.insert(second.end(), {m, d});
  OpCase one;
  one.label = format_message("p={}", {p});
  // Apart, so that no difference is on a kink; and of no two differences can be told which is
  // larger but of those from 0.
  one.arguments = {{.sizes = first, .domain = {.low = 1, .high = 3}, .distinct = largest},
                   {.sizes = second, .domain = {.low = -2, .high = 0.5}}};
  if (largest)
    one.arguments[1].fixed =
        std::vector<double>(static_cast<std::size_t>(WideTensor(second).numel()), 0);
  one.call = [=](const variable_list& x) { return cdist(x[0], x[1], p); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> sizes = batch;
    sizes.insert(sizes.end(), {n, m});
    PlainTensor<T> result(sizes);
    std::vector<int64_t> batches(first.begin(), first.end() - 2);
    for (int64_t i = 0; i < result.numel(); ++i) {
      const int64_t sample = i / (n * m), row = i / m % n, column = i % m;
      const int64_t of_first = plain_position(batches, batch, sample);
      std::vector<T> z;
      for (int64_t k = 0; k < d; ++k)
        z.push_back(x[0].values[static_cast<std::size_t>((of_first * n + row) * d + k)] -
                    x[1].values[static_cast<std::size_t>((sample * m + column) * d + k)]);
      result.values[static_cast<std::size_t>(i)] = plain_length(z, p);
    }
    return result;
  };
  return one;
}

const RegisterOp cdist_row(op_row("cdist", "loss", draw_cdist,
                                  Trait::Broadcasts | Trait::Accumulates));

}  // namespace

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<Integer> compute_mode,
             At at) {
  const Operation op("cdist", at);
  check_cdist(op, x1, x2, p, compute_mode);
  const Composite composite({&x1, &x2});
  const Promoted x = promoted({x1, x2}, at);
  const Tensor apart = sub(unsqueeze(x[0], -2, at), unsqueeze(x[1], -3, at), 1, at);
  if (apart.size(-1) == 0) return to(sum(apart, -1, false, at), x.type, at);
  return to(length_of(apart, p, at), x.type, at);
}

}  // namespace notape
