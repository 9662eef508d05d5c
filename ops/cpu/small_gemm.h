// gemm by direct loops, for any element type, strides and sizes. The order of the additions depends
// on nothing but sizes and strides.
#pragma once
#include <cstring>
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

template <typename T, int kCount>
using Lanes [[gnu::vector_size(kCount * sizeof(T))]] = T;

template <typename T>
T dense_dot(const T* a, const T* b, int64_t k) {
  constexpr int kWide = 32 / sizeof(T);  // larger vectors would be kept in memory
  int64_t p = 0;
  const auto add_to = [&]<typename V>(V& sums) {
    V left, right;  // numbers side by side, anywhere
    std::memcpy(&left, a + p, sizeof(V));
    std::memcpy(&right, b + p, sizeof(V));
    sums += left * right;
    p += static_cast<int64_t>(sizeof(V) / sizeof(T));
  };
  Lanes<T, kWide> sums{}, more{};
  while (p + 2 * kWide <= k) {
    add_to(sums);
    add_to(more);
  }
  if ((k & kWide) != 0) add_to(more);
  sums += more;
  T sum = 0;
  if constexpr (kWide == 8) {
    Lanes<T, 4> halves = __builtin_shufflevector(sums, sums, 0, 1, 2, 3) +
                         __builtin_shufflevector(sums, sums, 4, 5, 6, 7);
    if ((k & 4) != 0) add_to(halves);
    sum = (halves[0] + halves[2]) + (halves[1] + halves[3]);
  } else {
    sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }
  if ((k & 2) != 0) {  // a loop would be made ready for many
    sum = sum + a[p] * b[p] + a[p + 1] * b[p + 1];
    p += 2;
  }
  return (k & 1) != 0 ? sum + a[p] * b[p] : sum;
}

/// to = a0 + a2, a1 + a3, b0 + b2, b1 + b3. (Vectors are returned in registers that not all builds
/// have.)
template <typename T>
void add_halves(Lanes<T, 4>& to, const Lanes<T, 4>& a, const Lanes<T, 4>& b) {
  to = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// Four rows that are `step` apart by one column, each with the bits of dense_dot().
template <typename T>
void dense_dots(Lanes<T, 4>& dots, const T* a, int64_t step, const T* b, int64_t k) {
  constexpr int kWide = 32 / sizeof(T);
  int64_t p = 0;
  const auto add_to = [&]<typename V>(V(&sums)[4]) {
    V left, right;
    std::memcpy(&right, b + p, sizeof(V));
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      std::memcpy(&left, a + i * step + p, sizeof(V));
      sums[i] += left * right;
    }
    p += static_cast<int64_t>(sizeof(V) / sizeof(T));
  };
  Lanes<T, kWide> sums[4] = {}, more[4] = {};
  while (p + 2 * kWide <= k) {
    add_to(sums);
    add_to(more);
  }
  if ((k & kWide) != 0) add_to(more);
  Lanes<T, 4> fours[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Lanes<T, kWide> sum = sums[i] + more[i];
    if constexpr (kWide == 8)
      fours[i] = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
                 __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
    else
      fours[i] = sum;
  }
  if constexpr (kWide == 8)
    if ((k & 4) != 0) add_to(fours);
  Lanes<T, 4> first, second;
  add_halves<T>(first, fours[0], fours[1]);
  add_halves<T>(second, fours[2], fours[3]);
  dots = __builtin_shufflevector(first, second, 0, 2, 4, 6) +
         __builtin_shufflevector(first, second, 1, 3, 5, 7);
  for (; p < k; ++p)
    dots += Lanes<T, 4>{a[p], a[step + p], a[2 * step + p], a[3 * step + p]} * b[p];
}

template <typename T>
Sum<T> strided_dot(const T* a, int64_t a_stride, const T* b, int64_t b_stride, int64_t k) {
  Sum<T> sum = 0;
  for (int64_t p = 0; p < k; ++p)
    sum += static_cast<Sum<T>>(a[p * a_stride]) * static_cast<Sum<T>>(b[p * b_stride]);
  return sum;
}

/// Every element of the result as a dot product.
template <typename T>
void dots(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  const int64_t k = a.columns, a_step = a.column_stride, b_step = b.row_stride;
  for (int64_t j = 0; j < result.columns; ++j) {
    const T* row = static_cast<const T*>(a.data);
    const T* const column = static_cast<const T*>(b.data) + j * b.column_stride;
    T* to = static_cast<T*>(result.data) + j * result.column_stride;
    int64_t i = 0;
    if constexpr (std::is_floating_point_v<T>)
      if (a_step == 1 && b_step == 1) {
        for (; i + 4 <= result.rows; i += 4, row += 4 * a.row_stride) {
          Lanes<T, 4> sums;
          dense_dots<T>(sums, row, a.row_stride, column, k);
          for (int n = 0; n < 4; ++n, to += result.row_stride) store(*to, sums[n], alpha, beta);
        }
        for (; i < result.rows; ++i, row += a.row_stride, to += result.row_stride)
          store(*to, dense_dot(row, column, k), alpha, beta);
        continue;
      }
    for (; i < result.rows; ++i, row += a.row_stride, to += result.row_stride)
      store(*to, strided_dot(row, a_step, column, b_step, k), alpha, beta);
  }
}

/// A column by a row, some columns of the result after another: what they are multiplied by stays
/// in a register. Rows that are longer than that pays for come one after another.
template <typename T>
void outer_product(const Matrix& result, const Matrix& a, const T* row) {
  constexpr int64_t kFewColumns = 64;
  const T* const column = static_cast<const T*>(a.data);
  T* const to = static_cast<T*>(result.data);
  const int64_t n = result.columns, at_once = n <= kFewColumns ? result.rows : 1;
  const int64_t a_step = a.row_stride, step = result.row_stride;
  for (int64_t first = 0; first < result.rows; first += at_once) {
    int64_t j = 0;
    const auto lanes = [&]<int kCount>() {
      Lanes<T, kCount> some;
      std::memcpy(&some, row + j, sizeof some);
      const T* factor = column + first * a_step;
      T* place = to + first * step + j;
      for (int64_t left = at_once; left > 0; --left, factor += a_step, place += step) {
        const Lanes<T, kCount> values = T(0) + *factor * some;
        std::memcpy(place, &values, sizeof values);
      }
      j += kCount;
    };
    while (j + 8 <= n) lanes.template operator()<8>();
    if ((n & 4) != 0) lanes.template operator()<4>();
    if ((n & 2) != 0) lanes.template operator()<2>();
    for (int64_t i = first; j < n && i < first + at_once; ++i)
      to[i * step + j] = T(0) + column[i * a_step] * row[j];
  }
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
    if (rows_dense && a.columns == 1 && alpha == T(1) && beta == T(0))
      return detail::outer_product(result, a, static_cast<const T*>(b.data));
    if (rows_dense && result.columns > 1) return detail::tiles<T>(result, a, b, alpha, beta);
    const bool columns_dense = result.row_stride == 1 && a.row_stride == 1;
    if (columns_dense && result.rows > 1 && a.column_stride != 1)  // C^T = B^T A^T
      return detail::tiles<T>(result.transposed(), b.transposed(), a.transposed(), alpha, beta);
  }
  detail::dots<T>(result, a, b, alpha, beta);
}

}  // namespace notape
