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

/// beta old + alpha sum, without reading `old` if beta is 0.
template <typename T>
void store(T& target, Sum<T> sum, T alpha, T beta) {
  const auto scaled = static_cast<Sum<T>>(alpha) * sum;
  target = static_cast<T>(
      beta == T(0) ? scaled : static_cast<Sum<T>>(beta) * static_cast<Sum<T>>(target) + scaled);
}

template <typename T>
Sum<T> dot(const T* a, int64_t a_stride, const T* b, int64_t b_stride, int64_t k) {
  constexpr int64_t kLanes = 8;  // partial sums: vectors, and shorter dependency chains
  Sum<T> sum = 0;
  int64_t p = 0;
  if (a_stride == 1 && b_stride == 1 && k >= kLanes) {
    Sum<T> partial[kLanes] = {};
    for (; p + kLanes <= k; p += kLanes)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        partial[lane] += static_cast<Sum<T>>(a[p + lane]) * static_cast<Sum<T>>(b[p + lane]);
    for (int64_t width = kLanes / 2; width > 0; width /= 2)
      for (int64_t lane = 0; lane < width; ++lane) partial[lane] += partial[lane + width];
    sum = partial[0];
  }
  for (; p < k; ++p)
    sum += static_cast<Sum<T>>(a[p * a_stride]) * static_cast<Sum<T>>(b[p * b_stride]);
  return sum;
}

/// Every element of the result as a dot product.
template <typename T>
void dots(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  for (int64_t i = 0; i < result.rows; ++i)
    for (int64_t j = 0; j < result.columns; ++j)
      store(static_cast<T*>(result.data)[i * result.row_stride + j * result.column_stride],
            dot(static_cast<const T*>(a.data) + i * a.row_stride, a.column_stride,
                static_cast<const T*>(b.data) + j * b.column_stride, b.row_stride, a.columns),
            alpha, beta);
}

/// `Width` neighbouring elements of a row of the result, summed in registers.
template <int64_t Width, typename T>
void tile(T* to, const T* row, int64_t row_step, const T* b, int64_t b_step, int64_t k, T alpha,
          T beta) {
  T sums[Width] = {};
  for (int64_t p = 0; p < k; ++p) {
    const T factor = row[p * row_step];
    for (int64_t j = 0; j < Width; ++j) sums[j] += factor * b[p * b_step + j];
  }
  for (int64_t j = 0; j < Width; ++j) store(to[j], sums[j], alpha, beta);
}

/// For dense rows of b and of the result.
template <typename T>
void tiles(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  for (int64_t i = 0; i < result.rows; ++i) {
    T* const to = static_cast<T*>(result.data) + i * result.row_stride;
    const T* const row = static_cast<const T*>(a.data) + i * a.row_stride;
    const auto strip = [&]<int64_t Width>(int64_t& j) {
      for (; j + Width <= result.columns; j += Width)
        tile<Width>(to + j, row, a.column_stride, static_cast<const T*>(b.data) + j, b.row_stride,
                    a.columns, alpha, beta);
    };
    int64_t j = 0;
    strip.template operator()<16>(j);
    strip.template operator()<4>(j);
    strip.template operator()<1>(j);
  }
}

}  // namespace detail

template <typename T>
void small_gemm(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool rows_dense = result.column_stride == 1 && b.column_stride == 1;
    if (rows_dense && result.columns > 1) return detail::tiles<T>(result, a, b, alpha, beta);
    const bool columns_dense = result.row_stride == 1 && a.row_stride == 1;
    if (columns_dense && result.rows > 1 && a.column_stride != 1)  // C^T = B^T A^T
      return detail::tiles<T>(result.transposed(), b.transposed(), a.transposed(), alpha, beta);
  }
  detail::dots<T>(result, a, b, alpha, beta);
}

}  // namespace notape
