// Matrices with distinct singular values, for rows of decompositions with orthogonal factors, whose
// derivatives need that; and Jacobi's rotations, which find these factors with any kind of number.
#pragma once
#include "ops/arithmetic.h"
#include "ops/linalg/plain_matrices.h"

namespace notape {

/// x (.., m, n) with 8, 16, 24, .. added on the diagonal: of up to three columns or rows with
/// entries in [-1, 1] the singular values are 1 and more apart.
inline Tensor spread(const Tensor& x) {
  if (x.dim() < 2) return x;  // no matrices: for the operator to refuse
  const int64_t rows = x.size(-2), columns = x.size(-1);
  if (rows < columns) return transpose(spread(transpose(x, -2, -1)), -2, -1);
  const Tensor square = rows == columns ? x : narrow(x, -2, 0, columns);
  const Tensor sum = square + diag_embed(cumsum(full_like(diagonal(square, 0, -2, -1), 8), -1));
  if (rows == columns) return sum;
  const Tensor rest = narrow(x, -2, columns, rows - columns);
  return cat({sum, rest}, -2);
}
template <typename T>
PlainMatrix<T> plain_spread(PlainMatrix<T> x) {
  for (int64_t i = 0; i < std::min(x.rows, x.columns); ++i) x(i, i) += T(8) * T(i + 1);
  return x;
}

/// A diag(1, 2, 3, ..) A^T, which does not change with the signs of the columns.
inline Tensor without_signs(const Tensor& columns) {
  const Tensor weights = unsqueeze(cumsum(ones_like(sum(columns, {-2})), -1), -2);
  return matmul(columns * weights, transpose(columns, -2, -1));
}
template <typename T>
PlainMatrix<T> plain_without_signs(const PlainMatrix<T>& columns) {
  PlainMatrix<T> weighted = columns;
  for (int64_t i = 0; i < columns.rows; ++i)
    for (int64_t j = 0; j < columns.columns; ++j) weighted(i, j) *= T(j + 1);
  return weighted * plain_transposed(columns);
}

template <typename T>
struct PlainEigen {
  PlainMatrix<T> diagonal, vectors;
};
/// Of a symmetric matrix whose diagonal ascends by more than its other entries could change: its
/// eigenvalues stay in that order.
template <typename T>
PlainEigen<T> plain_eigen(const PlainMatrix<T>& a) {
  const int64_t n = a.rows;
  PlainEigen<T> result{a, PlainMatrix<T>(n, n)};
  for (int64_t i = 0; i < n; ++i) result.vectors(i, i) = T(1);
  for (int sweep = 0; sweep < 9; ++sweep)
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        const T beside = T(2) * result.diagonal(p, q);
        const T apart = result.diagonal(q, q) - result.diagonal(p, p);
        const T tangent = beside / (apart + math::sqrt(apart * apart + beside * beside));
        const T cosine = T(1) / math::sqrt(T(1) + tangent * tangent);
        PlainMatrix<T> turn(n, n);
        for (int64_t i = 0; i < n; ++i) turn(i, i) = T(1);
        turn(p, p) = turn(q, q) = cosine;
        turn(p, q) = tangent * cosine;
        turn(q, p) = -turn(p, q);
        result.diagonal = plain_transposed(turn) * result.diagonal * turn;
        result.vectors = result.vectors * turn;
      }
  return result;
}

}  // namespace notape
