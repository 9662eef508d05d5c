#include "cuda/runtime/gemm_layout.h"

#include <algorithm>

namespace notape::cuda {
namespace {

bool has_dense_columns(const Matrix& m) {
  if (m.rows == 0 || m.columns == 0) return true;  // nothing is read
  return (m.row_stride == 1 || m.rows <= 1) && (m.columns <= 1 || m.column_stride >= m.rows);
}

}  // namespace

bool is_column_major(const Matrix& matrix) {
  return has_dense_columns(matrix) || has_dense_columns(matrix.transposed());
}

ColumnMajor column_major(const Matrix& matrix) {
  const bool transposed = !has_dense_columns(matrix);
  const Matrix m = matrix.transposed_if(transposed);
  const int64_t least = std::max<int64_t>(m.rows, 1);
  const int64_t leading = m.columns <= 1 ? least : std::max(m.column_stride, least);
  return {m.data, transposed, leading, m.batch_stride};
}

ColumnMajorProduct column_major_product(const Matrix& result, const Matrix& a, const Matrix& b) {
  if (!has_dense_columns(result))  // result' = b' a'
    return column_major_product(result.transposed(), b.transposed(), a.transposed());
  return {column_major(a), column_major(b), column_major(result),
          result.rows,     result.columns,  a.columns};
}

ElementwisePlan copy_plan(const Matrix& to, const Matrix& from, int64_t batch,
                          std::size_t element_size) {
  ElementwisePlan plan;
  plan.operands = 2;
  plan.ndim = 3;
  plan.numel = batch * to.rows * to.columns;
  const int64_t sizes[] = {to.columns, to.rows, batch};
  std::copy_n(sizes, 3, plan.sizes);
  const auto bytes = static_cast<int64_t>(element_size);
  int operand = 0;
  for (const Matrix* matrix : {&to, &from}) {
    plan.data[operand] = static_cast<char*>(matrix->data);
    plan.strides[0][operand] = matrix->column_stride * bytes;
    plan.strides[1][operand] = matrix->row_stride * bytes;
    plan.strides[2][operand] = matrix->batch_stride * bytes;
    ++operand;
  }
  return plan;
}

}  // namespace notape::cuda
