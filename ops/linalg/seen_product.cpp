#include "ops/linalg/seen_product.h"

#include <limits>

#include "autograd/graph/record.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor across(const Tensor& matrices, At at) { return transpose(matrices, -2, -1, at); }

/// 1 where x is the value, else 0.
Tensor marks(const Tensor& x, double value, At at) { return to(eq(x, value, at), x.dtype(), at); }

/// The product of seen pairs where an ordinary one has NaN. Entries that are not finite are left
/// out, and counted: what they come to is infinite if all have one sign, else NaN.
Tensor careful_product(const Tensor& left, const Tensor& right, const Tensor& hidden, At at) {
  const Tensor seen = masked_fill(left, hidden, 0, at);
  const Tensor finite = masked_fill(right, logical_not(isfinite(right, at), at), 0, at);
  const Tensor product = matmul(seen, finite, at);
  const Tensor infinite = sub(marks(right, kInfinity, at), marks(right, -kInfinity, at), 1, at);
  const Tensor sign = nan_to_num(notape::sign(seen, at), 0, {}, {}, at);
  const Tensor of_one_sign = matmul(sign, infinite, at);
  const Tensor of_any = matmul(abs(sign, at), abs(infinite, at), at);
  const Tensor pairs = masked_fill(ones_like(seen), hidden, 0, at);
  const Tensor unknown = add(to(isnan(right, at), right.dtype(), at), abs(infinite, at), 1, at);
  const Tensor all = matmul(pairs, unknown, at);  // times 0 or NaN, too, which gives NaN
  const Tensor is_known = logical_and(eq(all, of_any, at), eq(abs(of_one_sign, at), all, at), at);
  const Tensor sum = masked_fill(mul(of_one_sign, kInfinity, at), logical_not(is_known, at),
                                 std::numeric_limits<double>::quiet_NaN(), at);
  return add(product, masked_fill(sum, eq(all, 0, at), 0, at), 1, at);
}

constexpr auto kProduct =
    derivative(
        "SeenProductBackward0",
        rule(
            [](const Tensor& grad, const Input<1>& right, const Input<2>& hidden,
               const Meta<0>& left) {
              return sum_to_size(seen_scores(grad, right, hidden, At::current()), left.sizes());
            },
            [](const Tensor& tangent, const Input<1>& right, const Input<2>& hidden) {
              return seen_product(tangent, right, hidden, At::current());
            }),
        rule(
            [](const Tensor& grad, const Input<0>& left, const Input<2>& hidden,
               const Meta<1>& right) {
              const At at = At::current();
              return sum_to_size(seen_product(across(left, at), grad, across(hidden, at), at),
                                 right.sizes());
            },
            [](const Tensor& tangent, const Input<0>& left, const Input<2>& hidden) {
              return seen_product(left, tangent, hidden, At::current());
            }),
        not_differentiable)
        .with_arguments<"left", "right", "hidden">();

constexpr auto kScores =
    derivative(
        "SeenScoresBackward0",
        rule(
            [](const Tensor& grad, const Input<1>& right, const Input<2>& hidden,
               const Meta<0>& left) {
              const At at = At::current();
              return sum_to_size(seen_product(masked_fill(grad, hidden, 0, at), right, hidden, at),
                                 left.sizes());
            },
            [](const Tensor& tangent, const Input<1>& right, const Input<2>& hidden) {
              return seen_scores(tangent, right, hidden, At::current());
            }),
        rule(
            [](const Tensor& grad, const Input<0>& left, const Input<2>& hidden,
               const Meta<1>& right) {
              const At at = At::current();
              const Tensor seen = across(masked_fill(grad, hidden, 0, at), at);
              return sum_to_size(seen_product(seen, left, across(hidden, at), at), right.sizes());
            },
            [](const Tensor& tangent, const Input<0>& left, const Input<2>& hidden) {
              return seen_scores(left, tangent, hidden, At::current());
            }),
        not_differentiable)
        .with_arguments<"left", "right", "hidden">();

/// Neither recorded nor differentiated: the derivative is that of the whole.
template <typename Compute>
Tensor value_of(const Compute& compute) {
  const NoGradGuard nothing_recorded;
  const ForwardLevelLimit no_tangents(0);
  return compute();
}

}  // namespace

Tensor seen_product(const Tensor& left, const Tensor& right, const Tensor& hidden, At at) {
  if (!hidden.defined()) return matmul(left, right, at);
  Tensor result = value_of([&] {
    const Tensor product = matmul(left, right, at);
    return core_operators->has_nan(product) ? careful_product(left, right, hidden, at) : product;
  });
  return record(kProduct, {"seen_product", at}, std::move(result), NoParameters(), left, right,
                hidden);
}

Tensor seen_scores(const Tensor& left, const Tensor& right, const Tensor& hidden, At at) {
  if (!hidden.defined()) return matmul(left, across(right, at), at);
  Tensor result =
      value_of([&] { return masked_fill(matmul(left, across(right, at), at), hidden, 0, at); });
  return record(kScores, {"seen_scores", at}, std::move(result), NoParameters(), left, right,
                hidden);
}

}  // namespace notape
