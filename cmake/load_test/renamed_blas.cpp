// A small BLAS with the names of PyPI's scipy-openblas32.
#include <cblas.h>

namespace {

template <typename T>
T element(const T* a, int stride, bool transposed, int row, int column) {
  return transposed ? a[column * stride + row] : a[row * stride + column];
}

/// C = alpha A B + beta C
template <typename T>
void multiply(CBLAS_ORDER, CBLAS_TRANSPOSE left, CBLAS_TRANSPOSE right, int m, int n, int k,
              T alpha, const T* a, int a_stride, const T* b, int b_stride, T beta, T* c,
              int c_stride) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int l = 0; l < k; ++l)
        sum += element(a, a_stride, left == CblasTrans, i, l) *
               element(b, b_stride, right == CblasTrans, l, j);
      T& result = c[i * c_stride + j];
      result = beta == 0 ? alpha * sum : alpha * sum + beta * result;
    }
}

/// y = alpha A x + beta y
template <typename T>
void apply(CBLAS_ORDER order, CBLAS_TRANSPOSE left, int m, int n, T alpha, const T* a, int a_stride,
           const T* x, int x_step, T beta, T* y, int y_step) {
  const bool transposed = left == CblasTrans;
  multiply(order, left, CblasNoTrans, transposed ? n : m, 1, transposed ? m : n, alpha, a, a_stride,
           x, x_step, beta, y, y_step);
}

}  // namespace

extern "C" {
void scipy_cblas_sgemm(CBLAS_ORDER o, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                       float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                       float* c, int ldc) {
  multiply(o, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void scipy_cblas_dgemm(CBLAS_ORDER o, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                       double alpha, const double* a, int lda, const double* b, int ldb,
                       double beta, double* c, int ldc) {
  multiply(o, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void scipy_cblas_sgemv(CBLAS_ORDER o, CBLAS_TRANSPOSE ta, int m, int n, float alpha, const float* a,
                       int lda, const float* x, int dx, float beta, float* y, int dy) {
  apply(o, ta, m, n, alpha, a, lda, x, dx, beta, y, dy);
}
void scipy_cblas_dgemv(CBLAS_ORDER o, CBLAS_TRANSPOSE ta, int m, int n, double alpha,
                       const double* a, int lda, const double* x, int dx, double beta, double* y,
                       int dy) {
  apply(o, ta, m, n, alpha, a, lda, x, dx, beta, y, dy);
}
}
