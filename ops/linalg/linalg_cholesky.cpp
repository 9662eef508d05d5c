// linalg_cholesky(A) = L, lower triangular, with L L^T = A symmetric. With S = phi(L^T G), the
// lower triangle with half of its diagonal,  dA = (L^-T (S + S^T) L^-1) / 2.
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/linalg/decompositions.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/plain_matrices.h"

namespace notape {
namespace {

/// The lower triangle with half of the diagonal.
Tensor half_of(const Tensor& matrices) { return 0.5 * (tril(matrices) + tril(matrices, -1)); }

/// L^-1 A L^-T, or L^-T A L^-1.
Tensor between(const Tensor& a, const Tensor& lower, bool transposes_first) {
  const Tensor upper = transposed(lower);
  if (transposes_first)
    return linalg_solve_triangular(lower, linalg_solve_triangular(upper, a, true), false, false);
  return linalg_solve_triangular(upper, linalg_solve_triangular(lower, a, false), true, false);
}

constexpr auto kLinalgCholeskyDerivative = derivative(
    "LinalgCholeskyBackward0", rule(
                                   [](const Tensor& grad, const Output& l) {
                                     const Tensor s = half_of(matmul(transposed(l), grad));
                                     return between(0.5 * (s + transposed(s)), l, true);
                                   },
                                   [](const Tensor& tangent, const Output& l) {
                                     return matmul(l, half_of(between(tangent, l, false)));
                                   }));

Tensor compute_linalg_cholesky(const Operation& op, const Tensor& self) {
  if (is_batched(self))
    return over_batch([&](int64_t, const Tensor& all) { return compute_linalg_cholesky(op, all); },
                      self);
  const Tensor result = copy_columns(self);
  const Tensor infos = infos_for(result);
  cholesky_kernel(op, self.dtype(), self.device(), result, infos);
  check_infos(op, self, infos, 0, 0,
              "The factorization could not be completed because the input is not "
              "positive-definite (the leading minor of order {} is not positive-definite).");
  return unflattened(result, batch_sizes(self));
}

/// Row by row.
template <typename T>
PlainMatrix<T> plain_cholesky(const PlainMatrix<T>& a) {
  PlainMatrix<T> l(a.rows, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      T rest = a(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= l(i, k) * l(j, k);
      l(i, j) = i == j ? math::sqrt(rest) : rest / l(j, j);
    }
  return l;
}

OpCase draw_cholesky(Draw& draw) {
  std::vector<int64_t> sizes = draw.shape(0, 2, 0, 2);
  const int64_t n = draw.integer(0, 4);
  sizes.insert(sizes.end(), {n, n});
  const bool upper = draw.boolean();
  OpCase one;
  one.label = upper ? "upper" : "lower";
  one.arguments = {{.sizes = sizes, .domain = kUnitDomain}};
  one.call = [=](const variable_list& x) {
    return linalg_cholesky(positive_definite(x[0]), upper);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_of_matrices(x[0], sizes, [&](const PlainMatrix<T>& a) {
      const PlainMatrix<T> l = plain_cholesky(plain_positive_definite(a));
      return upper ? plain_transposed(l) : l;
    });
  };
  return one;
}

const RegisterOp linalg_cholesky_row({.name = "linalg_cholesky",
                                      .family = "linalg",
                                      .draw = draw_cholesky,
                                      .traits = Trait::Accumulates});

}  // namespace

Tensor linalg_cholesky(const Tensor& self, bool upper, At at) {
  const Operation op("linalg_cholesky", at);
  check_square(op, self);
  const Composite composite({&self});
  const Tensor a = upper ? transposed(self) : self;
  const Tensor l =
      record(kLinalgCholeskyDerivative, op, compute_linalg_cholesky(op, a), NoParameters{}, a);
  return upper ? transposed(l) : l;
}

Tensor cholesky(const Tensor& self, bool upper, At at) { return linalg_cholesky(self, upper, at); }
Tensor LinalgMembers::cholesky(bool upper, At at) const {
  return linalg_cholesky(self(), upper, at);
}

}  // namespace notape
