// OpenBLAS for row-major matrices, overloaded over the element type. It runs on one thread up to
// about 64^3 multiplications by itself.
#pragma once
#include <algorithm>
#include <limits>

#include "ops/cpu/blas_library.h"
#include "ops/cpu/onednn.h"
#include "ops/linalg/gemm.h"

namespace notape::blas {

inline constexpr int64_t kLargestInt = std::numeric_limits<blasint>::max();

/// Whether BLAS can read or write the matrix where it is: rows dense and apart.
inline bool fits(const Matrix& m) {
  return (m.column_stride == 1 || m.columns == 1) && (m.rows == 1 || m.row_stride >= m.columns) &&
         std::max({m.rows, m.columns, m.row_stride}) <= kLargestInt;
}

/// A factor, given where it fits, with its transposition.
struct Operand {
  Matrix matrix;
  CBLAS_TRANSPOSE transpose = CblasNoTrans;

  blasint rows() const { return static_cast<blasint>(matrix.rows); }
  blasint columns() const { return static_cast<blasint>(matrix.columns); }
  blasint leading_dimension() const {
    return static_cast<blasint>(matrix.rows == 1 ? matrix.columns : matrix.row_stride);
  }
  template <typename T>
  T* data() const {
    return static_cast<T*>(matrix.data);
  }
};

/// c = alpha a b + beta c; k is the number of columns of a, transposed or not. `sgemm` multiplies
/// floats; null: OpenBLAS.
inline void gemm(const Operand& a, const Operand& b, const Operand& c, blasint k, float alpha,
                 float beta, FloatGemm sgemm) {
  (sgemm ? sgemm : library().sgemm)(CblasRowMajor, a.transpose, b.transpose, c.rows(), c.columns(),
                                    k, alpha, a.data<float>(), a.leading_dimension(),
                                    b.data<float>(), b.leading_dimension(), beta, c.data<float>(),
                                    c.leading_dimension());
}
inline void gemm(const Operand& a, const Operand& b, const Operand& c, blasint k, double alpha,
                 double beta, FloatGemm) {
  library().dgemm(CblasRowMajor, a.transpose, b.transpose, c.rows(), c.columns(), k, alpha,
                  a.data<double>(), a.leading_dimension(), b.data<double>(), b.leading_dimension(),
                  beta, c.data<double>(), c.leading_dimension());
}

/// A column of numbers.
template <typename T>
struct Vector {
  T* data;
  blasint step;
};

/// y = alpha a x + beta y
inline void gemv(const Operand& a, Vector<float> x, Vector<float> y, float alpha, float beta) {
  library().sgemv(CblasRowMajor, a.transpose, a.rows(), a.columns(), alpha, a.data<float>(),
                  a.leading_dimension(), x.data, x.step, beta, y.data, y.step);
}
inline void gemv(const Operand& a, Vector<double> x, Vector<double> y, double alpha, double beta) {
  library().dgemv(CblasRowMajor, a.transpose, a.rows(), a.columns(), alpha, a.data<double>(),
                  a.leading_dimension(), x.data, x.step, beta, y.data, y.step);
}

}  // namespace notape::blas
