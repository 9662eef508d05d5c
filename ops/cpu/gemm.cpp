// gemm on the CPU: OpenBLAS for real matrices of some size, direct loops for small ones (where a
// BLAS call would cost more than the work), for thin ones and for integers.
#include "ops/linalg/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/core/allocate.h"
#include "ops/cpu/small_gemm.h"

namespace notape {
namespace {

constexpr int64_t kLargestBlasInt = std::numeric_limits<blasint>::max();
/// n m k up to which the direct loops win.
constexpr int64_t kSmallWork = 512;
constexpr int64_t kSmallVectorWork = 1 << 14;

bool fits_blas(const Matrix& m) {
  return (m.column_stride == 1 || m.columns == 1) && (m.rows == 1 || m.row_stride >= m.columns) &&
         std::max({m.rows, m.columns, m.row_stride}) <= kLargestBlasInt;
}

blasint leading_dimension(const Matrix& m) {
  return static_cast<blasint>(m.rows == 1 ? m.columns : m.row_stride);
}

/// A matrix as BLAS wants it: rows (or columns) dense, in memory of its own if they were not.
struct BlasOperand {
  BlasOperand(const Matrix& given, ScalarType dtype) {
    if (fits_blas(given)) {
      matrix = given;
    } else if (fits_blas(given.transposed())) {
      matrix = given.transposed();
      transpose = CblasTrans;
    } else {
      copy = allocate({given.rows, given.columns}, dtype, kCPU);
      matrix = matrix_of(copy);
    }
  }
  Matrix matrix;
  CBLAS_TRANSPOSE transpose = CblasNoTrans;
  Tensor copy;
};

template <typename T>
void copy_matrix(const Matrix& to, const Matrix& from) {
  for (int64_t i = 0; i < to.rows; ++i)
    for (int64_t j = 0; j < to.columns; ++j)
      static_cast<T*>(to.data)[i * to.row_stride + j * to.column_stride] =
          static_cast<const T*>(from.data)[i * from.row_stride + j * from.column_stride];
}

template <typename T>
BlasOperand prepare(const Matrix& given, ScalarType dtype) {
  BlasOperand operand(given, dtype);
  if (operand.copy.defined()) copy_matrix<T>(operand.matrix, given);
  return operand;
}

void blas(const BlasOperand& a, const BlasOperand& b, const Matrix& c, blasint k, float alpha,
          float beta) {
  cblas_sgemm(CblasRowMajor, a.transpose, b.transpose, static_cast<blasint>(c.rows),
              static_cast<blasint>(c.columns), k, alpha, static_cast<const float*>(a.matrix.data),
              leading_dimension(a.matrix), static_cast<const float*>(b.matrix.data),
              leading_dimension(b.matrix), beta, static_cast<float*>(c.data), leading_dimension(c));
}
void blas(const BlasOperand& a, const BlasOperand& b, const Matrix& c, blasint k, double alpha,
          double beta) {
  cblas_dgemm(CblasRowMajor, a.transpose, b.transpose, static_cast<blasint>(c.rows),
              static_cast<blasint>(c.columns), k, alpha, static_cast<const double*>(a.matrix.data),
              leading_dimension(a.matrix), static_cast<const double*>(b.matrix.data),
              leading_dimension(b.matrix), beta, static_cast<double*>(c.data),
              leading_dimension(c));
}

template <typename T>
void blas_gemm(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  constexpr ScalarType dtype = scalar_type_of<T>;
  if (!fits_blas(result)) {
    if (fits_blas(result.transposed()))  // C^T = B^T A^T
      return blas_gemm<T>(result.transposed(), b.transposed(), a.transposed(), alpha, beta);
    const Tensor dense = allocate({result.rows, result.columns}, dtype, kCPU);
    copy_matrix<T>(matrix_of(dense), result);
    blas_gemm<T>(matrix_of(dense), a, b, alpha, beta);
    return copy_matrix<T>(result, matrix_of(dense));
  }
  blas(prepare<T>(a, dtype), prepare<T>(b, dtype), result, static_cast<blasint>(a.columns), alpha,
       beta);
}

/// Where BLAS is not worth its call, or cannot take the sizes.
bool wants_loops(int64_t n, int64_t m, int64_t k) {
  if (std::max({n, m, k}) > kLargestBlasInt) return true;
  const bool thin = k <= 1 || (n == 1 && m == 1);
  return thin || n * m <= (n == 1 || m == 1 ? kSmallVectorWork : kSmallWork) / k;
}

template <typename T>
void one(const Matrix& result, const Matrix& a, const Matrix& b, T alpha, T beta) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!wants_loops(result.rows, result.columns, a.columns))
      return blas_gemm<T>(result, a, b, alpha, beta);
  }
  small_gemm<T>(result, a, b, alpha, beta);
}

Matrix at_batch(const Matrix& m, int64_t index, std::size_t item) {
  Matrix moved = m;
  moved.data = static_cast<char*>(m.data) + index * m.batch_stride * static_cast<int64_t>(item);
  return moved;
}

template <typename T>
void all(const GemmCall& call) {
  const T alpha = call.alpha.to<T>(), beta = call.beta.to<T>();
  Matrix a = call.a, b = call.b;
  if (alpha == T(0)) a.columns = b.rows = 0;
  for (int64_t i = 0; i < call.batch; ++i)
    one<T>(at_batch(call.result, i, sizeof(T)), at_batch(a, i, sizeof(T)),
           at_batch(b, i, sizeof(T)), alpha, beta);
}

void gemm_on_cpu(const Operation& op, const GemmCall& call) {
  if (call.dtype == kBool) no_kernel(op, call.dtype, call.device);
  if (call.result.rows == 0 || call.result.columns == 0) return;
  visit_type(call.dtype, [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) all<T>(call);
  });
}

}  // namespace

constinit GemmKernel gemm_kernel(gemm_on_cpu);

}  // namespace notape
