// Matrices of any kind of number, for the references of decompositions: written for clarity, by the
// definitions, so without pivots, branches and divisions where these can be avoided.
#pragma once
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {

template <typename T>
struct PlainMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<T> values;

  PlainMatrix(int64_t r, int64_t c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r * c), T(0)) {}
  T& operator()(int64_t i, int64_t j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  const T& operator()(int64_t i, int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
};

template <typename T>
PlainMatrix<T> plain_transposed(const PlainMatrix<T>& a) {
  PlainMatrix<T> result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  return result;
}

template <typename T>
PlainMatrix<T> operator*(const PlainMatrix<T>& a, const PlainMatrix<T>& b) {
  PlainMatrix<T> result(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      for (int64_t k = 0; k < a.columns; ++k) result(i, j) += a(i, k) * b(k, j);
  return result;
}

/// Without row i and column j.
template <typename T>
PlainMatrix<T> plain_minor(const PlainMatrix<T>& a, int64_t i, int64_t j) {
  PlainMatrix<T> result(a.rows - 1, a.columns - 1);
  for (int64_t r = 0; r < result.rows; ++r)
    for (int64_t c = 0; c < result.columns; ++c)
      result(r, c) = a(r < i ? r : r + 1, c < j ? c : c + 1);
  return result;
}

/// Expanded along the first row.
template <typename T>
T plain_determinant(const PlainMatrix<T>& a) {
  if (a.rows == 0) return T(1);
  T sum(0);
  for (int64_t j = 0; j < a.columns; ++j) {
    const T term = a(0, j) * plain_determinant(plain_minor(a, 0, j));
    sum = j % 2 == 0 ? sum + term : sum - term;
  }
  return sum;
}

/// By Cramer's rule.
template <typename T>
PlainMatrix<T> plain_inverse(const PlainMatrix<T>& a) {
  PlainMatrix<T> result(a.rows, a.columns);
  const T determinant = plain_determinant(a);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) {
      const T cofactor = plain_determinant(plain_minor(a, i, j)) / determinant;
      result(j, i) = (i + j) % 2 == 0 ? cofactor : -cofactor;
    }
  return result;
}

/// Matrix `which` of those in the last two dimensions.
template <typename T>
PlainMatrix<T> plain_matrix(const PlainTensor<T>& x, int64_t which) {
  PlainMatrix<T> result(x.sizes[x.sizes.size() - 2], x.sizes.back());
  std::copy_n(x.values.begin() + which * result.rows * result.columns, result.values.size(),
              result.values.begin());
  return result;
}

/// The numbers of f(matrix) for each of the matrices, as a tensor of these sizes.
template <typename T, typename F>
PlainTensor<T> plain_of_matrices(const PlainTensor<T>& x, std::vector<int64_t> sizes, const F& f) {
  PlainTensor<T> result;
  result.sizes = std::move(sizes);
  int64_t count = 1;
  for (std::size_t d = 0; d + 2 < x.sizes.size(); ++d) count *= x.sizes[d];
  for (int64_t i = 0; i < count; ++i) {
    const PlainMatrix<T> one = f(plain_matrix(x, i));
    result.values.insert(result.values.end(), one.values.begin(), one.values.end());
  }
  return result;
}

/// x + 5 on the diagonal, which no x with entries in [-1, 1] of up to four columns makes singular;
/// its rows moved on by one if `turned`, so that they have to be exchanged again.
inline constexpr Domain kUnitDomain{.low = -1, .high = 1};
inline Tensor dominant(const Tensor& x, bool turned) {
  const Tensor sum = x + diag_embed(full_like(diagonal(x, 0, -2, -1), 5));
  return turned && x.size(-1) > 0 ? roll(sum, 1, -2) : sum;
}
template <typename T>
PlainMatrix<T> plain_dominant(const PlainMatrix<T>& x, bool turned) {
  PlainMatrix<T> result(x.rows, x.columns);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      result(turned ? (i + 1) % x.rows : i, j) = i == j ? x(i, j) + T(5) : x(i, j);
  return result;
}

/// x x^T + 1 on the diagonal.
inline Tensor positive_definite(const Tensor& x) {
  return matmul(x, transpose(x, -2, -1)) + diag_embed(ones_like(diagonal(x, 0, -2, -1)));
}
template <typename T>
PlainMatrix<T> plain_positive_definite(const PlainMatrix<T>& x) {
  PlainMatrix<T> result = x * plain_transposed(x);
  for (int64_t i = 0; i < x.rows; ++i) result(i, i) += T(1);
  return result;
}

}  // namespace notape
