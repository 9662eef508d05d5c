// How a product of strided matrices is said to cuBLAS, which thinks in columns: as stored or
// transposed, with the distance of two columns; a row-major result is computed as its transpose.
#pragma once
#include "ops/elementwise/plan.h"
#include "ops/linalg/gemm.h"

namespace notape::cuda {

/// A matrix whose columns, or those of its transpose, are dense.
struct ColumnMajor {
  void* data;
  bool is_transposed;
  int64_t leading;  ///< elements from a column to the next
  int64_t batch_stride;
};

/// Whether a matrix can be said so; others have to be copied first.
bool is_column_major(const Matrix& matrix);
ColumnMajor column_major(const Matrix& matrix);

/// c = alpha a b + beta c, (m, n) = (m, k) (k, n); c is not transposed.
struct ColumnMajorProduct {
  ColumnMajor a, b, c;
  int64_t m, n, k;
};
ColumnMajorProduct column_major_product(const Matrix& result, const Matrix& a, const Matrix& b);

/// Copies `batch` matrices of one shape and element size.
ElementwisePlan copy_plan(const Matrix& to, const Matrix& from, int64_t batch,
                          std::size_t element_size);

}  // namespace notape::cuda
