// linalg_qr(A) = {Q, R} with A = Q R. With gradients H of Q and K of R, and sym(X) = X + X^T of an
// upper triangle without doubling its diagonal:
//   dA = (H + Q sym(triu(K R^T - Q^T H))) R^-T.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_orthogonal.h"
#include "ops/spec/joined_results.h"

namespace notape {
namespace {

/// The formulas are for A with as many rows as columns or more, and as many columns in Q.
void refuse_other_shapes(const Tensor& q, const Tensor& r) {
  if (q.dim() == 1)
    throw DerivativeNotImplemented(
        "linalg_qr: the derivative depends on Q, which is not computed when mode='r'; use "
        "mode='reduced'.");
  if (q.size(-1) != r.size(-1))
    throw DerivativeNotImplemented(
        "linalg_qr: the derivative is implemented for matrices with as many rows as columns or "
        "more, of these for mode='reduced', and for square ones, but Q is {} by {} and R {} by {}.",
        q.size(-2), q.size(-1), r.size(-2), r.size(-1));
}

/// The upper triangle with half of the diagonal.
Tensor upper_half_of(const Tensor& matrices) { return 0.5 * (triu(matrices) + triu(matrices, 1)); }

Tensor pull_back_linalg_qr(const PerResult<2>& grads, const Tensor& q, const Tensor& r) {
  refuse_other_shapes(q, r);
  Tensor inside;
  if (grads[1].defined()) inside = matmul(grads[1], transposed(r));
  if (grads[0].defined()) {
    const Tensor product = matmul(transposed(q), grads[0]);
    inside = inside.defined() ? inside - product : -product;
  }
  const Tensor half = upper_half_of(inside);
  Tensor result = matmul(q, half + transposed(half));
  if (grads[0].defined()) result = result + grads[0];
  return linalg_solve_triangular(transposed(r), result, false, false);
}

PerResult<2> push_forward_linalg_qr(const Tensor& tangent, const Tensor& q, const Tensor& r) {
  refuse_other_shapes(q, r);
  const Tensor quotient = linalg_solve_triangular(r, tangent, true, false);
  const Tensor product = matmul(transposed(q), quotient);
  const Tensor turned = upper_half_of(product + transposed(product));
  return {quotient - matmul(q, turned), matmul(turned, r)};
}

constexpr auto kLinalgQrDerivative =
    derivative("LinalgQrBackward0",
               rule([](const PerResult<2>& grads, const Output& q,
                       const Result<1>& r) { return pull_back_linalg_qr(grads, q, r); },
                    [](const Tensor& tangent, const Output& q, const Result<1>& r) {
                      return push_forward_linalg_qr(tangent, q, r);
                    }))
        .with_results<"Q", "R">();

enum class QrMode : uint8_t { Reduced, Complete, OnlyR };

PerResult<2> compute_linalg_qr(const Operation& op, const Tensor& self, QrMode mode) {
  if (is_batched(self)) {
    PerResult<2> all = over_batch_each(
        [&](const Tensor& plain) { return compute_linalg_qr(op, plain, mode); }, self);
    if (mode == QrMode::OnlyR) all[0] = zeros_for({&self}, {0}, self.dtype());
    return all;
  }
  const Tensor matrices = copy_columns(self);
  const int64_t count = matrices.size(0), m = matrices.size(1), n = matrices.size(2);
  const int64_t k = mode == QrMode::Complete ? m : std::min(m, n);
  const Tensor q = mode == QrMode::OnlyR ? Tensor() : allocate_columns(count, m, k, self);
  qr_kernel(op, self.dtype(), self.device(), matrices, q);
  const IntArrayRef batch = batch_sizes(self);
  return {q.defined() ? unflattened(q, batch) : zeros_for({&self}, {0}, self.dtype()),
          triu(narrow(unflattened(matrices, batch), -2, 0, k))};
}

QrMode mode_of(const Operation& op, std::string_view mode) {
  if (mode == "reduced") return QrMode::Reduced;
  if (mode == "complete") return QrMode::Complete;
  if (mode == "r") return QrMode::OnlyR;
  op.fail<ValueError>(
      "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or "
      "'complete'",
      mode);
}

/// Q by Gram's and Schmidt's method.
template <typename T>
PlainMatrix<T> plain_orthonormal(const PlainMatrix<T>& a) {
  PlainMatrix<T> q = a;
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t before = 0; before < j; ++before) {
      T product(0);
      for (int64_t i = 0; i < a.rows; ++i) product += q(i, before) * a(i, j);
      for (int64_t i = 0; i < a.rows; ++i) q(i, j) -= product * q(i, before);
    }
    T square(0);
    for (int64_t i = 0; i < a.rows; ++i) square += q(i, j) * q(i, j);
    for (int64_t i = 0; i < a.rows; ++i) q(i, j) /= math::sqrt(square);
  }
  return q;
}

OpCase draw_qr(Draw& draw) {
  const std::vector<int64_t> batch = draw.shape(0, 1, 0, 2);
  const int64_t n = draw.integer(0, 3), m = n + draw.integer(0, 2);
  const bool complete = m == n && draw.boolean();
  OpCase one;
  one.label = complete ? "complete" : "reduced";
  one.arguments = {{.sizes = sizes_of(batch, {m, n}), .domain = kUnitDomain}};
  one.call = [=](const variable_list& x) {
    const auto [q, r] = linalg_qr(spread(x[0]), complete ? "complete" : "reduced");
    // Rows of R have the sign of their column of Q.
    return joined_results({without_signs(q), without_signs(transposed(r))});
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result;
    for (bool is_q : {true, false}) {
      const PlainTensor<T> of_part = plain_of_matrices(x[0], {}, [&](const PlainMatrix<T>& given) {
        const PlainMatrix<T> a = plain_spread(given), q = plain_orthonormal(a);
        return plain_without_signs(is_q ? q : plain_transposed(a) * q);
      });
      result.values.insert(result.values.end(), of_part.values.begin(), of_part.values.end());
    }
    result.sizes = {result.numel()};
    return result;
  };
  return one;
}

const RegisterOp linalg_qr_row(
    {.name = "linalg_qr", .family = "linalg", .draw = draw_qr, .traits = Trait::Accumulates});

}  // namespace

std::tuple<Tensor, Tensor> linalg_qr(const Tensor& self, std::string_view mode, At at) {
  const Operation op("linalg_qr", at);
  check_matrices(op, self);
  return std::tuple_cat(record(kLinalgQrDerivative, op,
                               compute_linalg_qr(op, self, mode_of(op, mode)), NoParameters{},
                               self));
}

}  // namespace notape
