// gemm by direct loops, for any element type, strides and sizes. The order of the additions depends
// on nothing but sizes and strides.
#pragma once
#include <algorithm>
#include <type_traits>

#include "ops/linalg/gemm.h"

namespace notape {
namespace detail {

/// Integers are added as unsigned 64-bit numbers: they wrap around, as those of their own type do.
template <typename T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;

template <typename T>
Sum<T> dot_dense(const T* a, const T* b, int64_t k) {
  constexpr int64_t kLanes = 16;  // partial sums: vectors, and shorter dependency chains
  Sum<T> sum = 0;
  int64_t p = 0;
  if (k >= kLanes) {
    Sum<T> partial[kLanes] = {};
    for (; p + kLanes <= k; p += kLanes)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        partial[lane] += static_cast<Sum<T>>(a[p + lane]) * static_cast<Sum<T>>(b[p + lane]);
    for (int64_t width = kLanes / 2; width > 0; width /= 2)
      for (int64_t lane = 0; lane < width; ++lane) partial[lane] += partial[lane + width];
    sum = partial[0];
  }
  for (; p < k; ++p) sum += static_cast<Sum<T>>(a[p]) * static_cast<Sum<T>>(b[p]);
  return sum;
}

template <typename T>
Sum<T> dot_strided(const T* a, int64_t a_stride, const T* b, int64_t b_stride, int64_t k) {
  if (a_stride == 1 && b_stride == 1) return dot_dense(a, b, k);
  Sum<T> sum = 0;
  for (int64_t p = 0; p < k; ++p)
    sum += static_cast<Sum<T>>(a[p * a_stride]) * static_cast<Sum<T>>(b[p * b_stride]);
  return sum;
}

/// beta old + alpha sum, without reading `old` if beta is 0.
template <typename T>
void store(T& target, Sum<T> sum, Sum<T> alpha, Sum<T> beta) {
  const Sum<T> old = beta == Sum<T>(0) ? Sum<T>(0) : beta * static_cast<Sum<T>>(target);
  target = static_cast<T>(old + alpha * sum);
}

/// Each row of the result as a sum of rows of b: for dense rows of b and of the result.
template <typename T>
void add_rows(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  const int64_t m = result.columns;
  for (int64_t i = 0; i < result.rows; ++i) {
    T* const to = static_cast<T*>(result.data) + i * result.row_stride;
    const T* const factors = static_cast<const T*>(a.data) + i * a.row_stride;
    if (beta == T(0))
      std::fill_n(to, m, T(0));
    else
      for (int64_t j = 0; j < m; ++j) to[j] *= beta;
    for (int64_t p = 0; p < a.columns; ++p) {
      const T factor = alpha * factors[p * a.column_stride];
      const T* const from = static_cast<const T*>(b.data) + p * b.row_stride;
      for (int64_t j = 0; j < m; ++j) to[j] += factor * from[j];
    }
  }
}

}  // namespace detail

template <typename T>
void small_gemm(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool columns_of_b_dense = b.row_stride == 1 || b.columns == 1;
    if (result.column_stride == 1 && b.column_stride == 1 && !columns_of_b_dense)
      return detail::add_rows<T>(result, a, b, alpha, beta);
  }
  for (int64_t i = 0; i < result.rows; ++i)
    for (int64_t j = 0; j < result.columns; ++j) {
      T* const to = static_cast<T*>(result.data) + i * result.row_stride + j * result.column_stride;
      const auto sum = detail::dot_strided(
          static_cast<const T*>(a.data) + i * a.row_stride, a.column_stride,
          static_cast<const T*>(b.data) + j * b.column_stride, b.row_stride, a.columns);
      detail::store<T>(*to, sum, static_cast<detail::Sum<T>>(alpha),
                       static_cast<detail::Sum<T>>(beta));
    }
}

}  // namespace notape
