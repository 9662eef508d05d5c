// Products whose right factor stays in the second cache, without OpenBLAS: on such matrices packing
// both factors costs more than it saves.
#pragma once
#include <algorithm>

#include "ops/core/allocate.h"
#include "ops/cpu/block_product.h"
#include "ops/cpu/transposed_copy.h"
#include "ops/linalg/gemm.h"

namespace notape {

/// Whether block_gemm() takes this one, and faster than OpenBLAS: measured for 4 to 2048 rows, with
/// a copy of b, where it lies transposed, for 128 and more.
template <typename T>
bool is_for_blocks(const Matrix& result, const Matrix& b, T alpha, T beta) {
  constexpr int64_t kFewestRows = 4, kFewestWithCopy = 128;
  constexpr int64_t kMostColumns = 256, kMostEntries = 1 << 16;  // of b
  constexpr int64_t kRegister = 64 / sizeof(T);
  const int64_t columns = result.columns;
  const bool has_rows =
      b.column_stride == 1 || (b.row_stride == 1 && result.rows >= kFewestWithCopy);
  return alpha == T(1) && (beta == T(0) || beta == T(1)) && result.rows >= kFewestRows &&
         columns % kRegister == 0 && columns <= kMostColumns && b.rows <= kMostEntries / columns &&
         result.column_stride == 1 && has_rows;
}

/// result = a b + beta result. Each element is one sum in the order of its terms.
template <typename T>
void block_gemm(const Matrix& result, const Matrix& a, const Matrix& b, T beta) {
  constexpr int64_t kTile = 6, kPieceWork = 1 << 21, kItem = sizeof(T);
  const int64_t columns = b.columns, terms = b.rows;
  Tensor copy;
  const T* right = static_cast<const T*>(b.data);
  int64_t right_row = b.row_stride;
  if (b.column_stride != 1) {
    copy = allocate({terms, columns}, scalar_type_of<T>, kCPU);
    detail::transpose_rows<T>(static_cast<char*>(copy.impl().data()),
                              static_cast<const char*>(b.data),
                              {columns, terms, b.column_stride * kItem, columns * kItem}, 0, terms);
    right = copy.impl().data_as<T>();
    right_row = columns;
  }
  const int64_t rows = std::max<int64_t>(1, kPieceWork / (terms * columns));
  parallel_for(0, result.rows, (rows + kTile - 1) / kTile * kTile,
               [&](int64_t first, int64_t last) {
                 multiply(BlockProduct<T>{last - first, columns, terms,
                                          static_cast<const T*>(a.data) + first * a.row_stride,
                                          a.row_stride, a.column_stride, right, right_row,
                                          static_cast<T*>(result.data) + first * result.row_stride,
                                          result.row_stride, beta == T(1)});
               });
}

}  // namespace notape
