// Products of a large matrix with few rows, or with so few terms that the result is what is large:
// batches of few samples in a linear layer. Such work waits for memory, so the large matrix is read
// or written once, where it lies. OpenBLAS packs it first, which takes as long again.
#pragma once
#include <algorithm>

#include "ops/core/allocate.h"
#include "ops/cpu/block_product.h"
#include "ops/linalg/gemm.h"
#include "ops/parallel.h"

namespace notape {
namespace detail {

/// Entries of the large matrix from which on these win, measured; below, packing is cheap.
constexpr int64_t kFewestEntries = 1 << 18;
constexpr int64_t kMostRows = 32, kMostTerms = 16;
template <typename T>
constexpr int64_t kNumbersOfLanes = 64 / sizeof(T);

inline bool is_large(const Matrix& m) { return m.rows >= kFewestEntries / m.columns; }

/// to += from
template <typename T>
void add_all(T* to, const T* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

/// b has dense rows: piece by piece, a part of some of its rows that stays in the second cache.
template <typename T>
void times_rows(const Matrix& result, const Matrix& a, const Matrix& b, T beta) {
  constexpr int64_t kColumns = 2048 / sizeof(T), kTerms = 32, kTermsOfASum = 256;
  const int64_t pieces = (b.columns + kColumns - 1) / kColumns;
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    T sums[kMostRows * kColumns], part[kMostRows * kColumns];
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t j = piece * kColumns, columns = std::min(kColumns, b.columns - j);
      for (int64_t p = 0; p < b.rows; p += kTerms) {
        const int64_t terms = std::min(kTerms, b.rows - p);
        T* const to = p < kTermsOfASum ? sums : part;
        multiply(BlockProduct<T>{
            a.rows, columns, terms, static_cast<const T*>(a.data) + p * a.column_stride,
            a.row_stride, a.column_stride, static_cast<const T*>(b.data) + p * b.row_stride + j,
            b.row_stride, to, columns, p % kTermsOfASum != 0});
        const bool ends_sum = (p + terms) % kTermsOfASum == 0 || p + terms == b.rows;
        if (to == part && ends_sum) add_all(sums, part, a.rows * columns);
      }
      for (int64_t i = 0; i < a.rows; ++i) {
        T* const to = static_cast<T*>(result.data) + i * result.row_stride + j;
        const T* const from = sums + i * columns;
        if (beta == T(0))
          std::copy_n(from, columns, to);
        else
          add_all(to, from, columns);
      }
    }
  });
}

/// b has dense columns, which are read some at a time: result^T = b^T a^T.
template <typename T>
void times_columns(const Matrix& result, const Matrix& a, const Matrix& b, T beta) {
  constexpr int64_t kColumns = 48, kTerms = 2048;
  const int64_t lanes = kNumbersOfLanes<T>, rows = (a.rows + lanes - 1) / lanes * lanes;
  const Tensor turned = allocate({b.rows, rows}, scalar_type_of<T>, kCPU);
  T* const right = turned.impl().data_as<T>();
  for (int64_t p = 0; p < b.rows; ++p)
    for (int64_t i = 0; i < rows; ++i)
      right[p * rows + i] =
          i < a.rows ? static_cast<const T*>(a.data)[i * a.row_stride + p * a.column_stride] : T(0);
  const int64_t pieces = (b.columns + kColumns - 1) / kColumns;
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    T sums[kMostRows * kColumns], part[kMostRows * kColumns];
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t j = piece * kColumns, columns = std::min(kColumns, b.columns - j);
      for (int64_t p = 0; p < b.rows; p += kTerms) {
        multiply(BlockProduct<T>{columns, rows, std::min(kTerms, b.rows - p),
                                 static_cast<const T*>(b.data) + j * b.column_stride + p,
                                 b.column_stride, 1, right + p * rows, rows, p == 0 ? sums : part,
                                 rows});
        if (p != 0) add_all(sums, part, columns * rows);
      }
      for (int64_t k = 0; k < columns; ++k)
        for (int64_t i = 0; i < a.rows; ++i) {
          T& to =
              static_cast<T*>(result.data)[i * result.row_stride + (j + k) * result.column_stride];
          to = beta == T(0) ? sums[k * rows + i] : to + sums[k * rows + i];
        }
    }
  });
}

/// The result is large, and its rows and those of b are dense.
template <typename T>
void few_terms(const Matrix& result, const Matrix& a, const Matrix& b, T beta) {
  constexpr int64_t kRows = 48;
  const int64_t pieces = (result.rows + kRows - 1) / kRows;
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kRows, last = std::min(result.rows, end * kRows);
    multiply(BlockProduct<T>{last - first, result.columns, a.columns,
                             static_cast<const T*>(a.data) + first * a.row_stride, a.row_stride,
                             a.column_stride, static_cast<const T*>(b.data), b.row_stride,
                             static_cast<T*>(result.data) + first * result.row_stride,
                             result.row_stride, beta == T(1)});
  });
}

}  // namespace detail

/// result = a b + beta result, if this is faster than OpenBLAS; else nothing is done. An element is
/// a sum of sums of neighbouring terms, whatever the number of threads.
template <typename T>
bool thin_gemm(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  using namespace detail;
  if (alpha != T(1) || (beta != T(0) && beta != T(1))) return false;
  const bool has_whole_lanes = b.columns % kNumbersOfLanes<T> == 0 && result.column_stride == 1;
  if (a.rows <= kMostRows && is_large(b)) {
    if (b.column_stride == 1 && has_whole_lanes) return times_rows<T>(result, a, b, beta), true;
    if (b.row_stride == 1 && b.column_stride >= b.rows)
      return times_columns<T>(result, a, b, beta), true;
  }
  if (a.columns > kMostTerms || !is_large(result) || !has_whole_lanes) return false;
  if (b.column_stride == 1) return few_terms<T>(result, a, b, beta), true;
  const Tensor rows = allocate({b.rows, b.columns}, scalar_type_of<T>, kCPU);
  for (int64_t p = 0; p < b.rows; ++p)
    for (int64_t j = 0; j < b.columns; ++j)
      rows.impl().data_as<T>()[p * b.columns + j] =
          static_cast<const T*>(b.data)[p * b.row_stride + j * b.column_stride];
  few_terms<T>(result, a, matrix_of(rows), beta);
  return true;
}

}  // namespace notape
