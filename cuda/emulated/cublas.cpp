#include "cublas_v2.h"

#include <cblas.h>

#include <algorithm>
#include <vector>

#include "autograd/tensor/scalar_type.h"
#include "cuda/emulated/accesses.h"
#include "cuda/emulated/work.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
};

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS         ? "success"
         : status == CUBLAS_STATUS_INVALID_VALUE ? "invalid value"
                                                 : "execution failed";
}
cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

namespace {

using emulator::note_access;

/// Columns are dense.
template <typename T>
struct Matrices {
  T* data;
  int64_t rows, columns, leading, step;

  bool is_valid() const {
    return rows >= 0 && columns >= 0 && leading >= std::max<int64_t>(1, rows);
  }
  T* at(int64_t i) const { return data + i * step; }
  void note(int64_t i, bool writes, uint32_t launch) const {
    for (int64_t j = 0; j < columns; ++j)
      note_access(at(i) + j * leading, static_cast<std::size_t>(rows) * sizeof(T), writes, launch,
                  "a product");
  }
};

template <typename T>
Matrices<T> factor(T* data, cublasOperation_t as, int64_t rows, int64_t columns, int64_t leading,
                   int64_t step) {
  return as == CUBLAS_OP_N ? Matrices<T>{data, rows, columns, leading, step}
                           : Matrices<T>{data, columns, rows, leading, step};
}

CBLAS_TRANSPOSE cblas(cublasOperation_t as) {
  return as == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

/// gemm(i): the product of the i-th matrices.
template <typename T, typename Gemm>
cublasStatus_t multiply(cublasHandle_t handle, const Matrices<const T>& a,
                        const Matrices<const T>& b, const Matrices<T>& c, int64_t k, T beta,
                        int64_t count, const Gemm& gemm) {
  if (!a.is_valid() || !b.is_valid() || !c.is_valid() || k < 0 || count < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const std::lock_guard guard(emulator::lock);
  ++emulator::counts.launches;
  const auto run = [=](uint32_t launch) {
    for (int64_t i = 0; i < count; ++i) {
      if (k > 0) {
        a.note(i, false, launch);
        b.note(i, false, launch);
      }
      if (beta != 0) c.note(i, false, launch);
      c.note(i, true, launch);
      gemm(a.at(i), b.at(i), c.at(i));
    }
    return true;
  };
  const double flop = 2.0 * static_cast<double>(c.rows * c.columns) * static_cast<double>(k) *
                      static_cast<double>(count);
  emulator::queue(emulator::stream_of(handle->stream), "a product", run, {.flop = flop});
  return emulator::has_faulted ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

template <typename T, typename Function>
cublasStatus_t gemm(Function function, cublasHandle_t handle, cublasOperation_t a_as,
                    cublasOperation_t b_as, int64_t m, int64_t n, int64_t k, const T* alpha,
                    const T* a, int64_t lda, int64_t a_step, const T* b, int64_t ldb,
                    int64_t b_step, const T* beta, T* c, int64_t ldc, int64_t c_step,
                    int64_t count) {
  return multiply<T>(handle, factor(a, a_as, m, k, lda, a_step), factor(b, b_as, k, n, ldb, b_step),
                     Matrices<T>{c, m, n, ldc, c_step}, k, *beta, count,
                     [=, alpha = *alpha, beta = *beta](const T* one_a, const T* one_b, T* one_c) {
                       function(CblasColMajor, cblas(a_as), cblas(b_as), static_cast<int>(m),
                                static_cast<int>(n), static_cast<int>(k), alpha, one_a,
                                static_cast<int>(lda), one_b, static_cast<int>(ldb), beta, one_c,
                                static_cast<int>(ldc));
                     });
}

/// As dense columns of float32.
template <typename T>
std::vector<float> widened(const Matrices<T>& matrix, const std::type_identity_t<T>* data) {
  std::vector<float> wide(static_cast<std::size_t>(matrix.rows * matrix.columns));
  for (int64_t j = 0; j < matrix.columns; ++j)
    for (int64_t i = 0; i < matrix.rows; ++i)
      wide[static_cast<std::size_t>(i + j * matrix.rows)] =
          static_cast<float>(data[i + j * matrix.leading]);
  return wide;
}

template <typename T>
cublasStatus_t gemm_of_16_bits(cublasHandle_t handle, cublasOperation_t a_as,
                               cublasOperation_t b_as, const Matrices<const T>& a,
                               const Matrices<const T>& b, const Matrices<T>& c, int64_t k,
                               float alpha, float beta, int64_t count) {
  return multiply<T>(
      handle, a, b, c, k, T(beta), count, [=](const T* one_a, const T* one_b, T* one_c) {
        const std::vector<float> wide_a = widened(a, one_a), wide_b = widened(b, one_b);
        std::vector<float> wide_c(static_cast<std::size_t>(c.rows * c.columns));
        if (beta != 0) wide_c = widened(c, one_c);
        const auto least = [](int64_t rows) {
          return static_cast<int>(std::max<int64_t>(rows, 1));
        };
        cblas_sgemm(CblasColMajor, cblas(a_as), cblas(b_as), static_cast<int>(c.rows),
                    static_cast<int>(c.columns), static_cast<int>(k), alpha, wide_a.data(),
                    least(a.rows), wide_b.data(), least(b.rows), beta, wide_c.data(),
                    least(c.rows));
        for (int64_t j = 0; j < c.columns; ++j)
          for (int64_t i = 0; i < c.rows; ++i)
            one_c[i + j * c.leading] = T(wide_c[static_cast<std::size_t>(i + j * c.rows)]);
      });
}

}  // namespace

cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t a_as,
                                            cublasOperation_t b_as, int64_t m, int64_t n, int64_t k,
                                            const float* alpha, const float* a, int64_t lda,
                                            int64_t a_step, const float* b, int64_t ldb,
                                            int64_t b_step, const float* beta, float* c,
                                            int64_t ldc, int64_t c_step, int64_t count) {
  return gemm(cblas_sgemm, handle, a_as, b_as, m, n, k, alpha, a, lda, a_step, b, ldb, b_step, beta,
              c, ldc, c_step, count);
}
cublasStatus_t cublasDgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t a_as,
                                            cublasOperation_t b_as, int64_t m, int64_t n, int64_t k,
                                            const double* alpha, const double* a, int64_t lda,
                                            int64_t a_step, const double* b, int64_t ldb,
                                            int64_t b_step, const double* beta, double* c,
                                            int64_t ldc, int64_t c_step, int64_t count) {
  return gemm(cblas_dgemm, handle, a_as, b_as, m, n, k, alpha, a, lda, a_step, b, ldb, b_step, beta,
              c, ldc, c_step, count);
}
cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t a_as, cublasOperation_t b_as, int64_t m, int64_t n,
    int64_t k, const void* alpha, const void* a, cudaDataType_t a_type, int64_t lda, int64_t a_step,
    const void* b, cudaDataType_t b_type, int64_t ldb, int64_t b_step, const void* beta, void* c,
    cudaDataType_t c_type, int64_t ldc, int64_t c_step, int64_t count, cublasComputeType_t compute,
    cublasGemmAlgo_t) {
  if (a_type != b_type || a_type != c_type || compute != CUBLAS_COMPUTE_32F)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto run = [&]<typename T>(T) {
    return gemm_of_16_bits<T>(
        handle, a_as, b_as, factor(static_cast<const T*>(a), a_as, m, k, lda, a_step),
        factor(static_cast<const T*>(b), b_as, k, n, ldb, b_step),
        Matrices<T>{static_cast<T*>(c), m, n, ldc, c_step}, k, *static_cast<const float*>(alpha),
        *static_cast<const float*>(beta), count);
  };
  if (a_type == CUDA_R_16F) return run(notape::Half());
  if (a_type == CUDA_R_16BF) return run(notape::BFloat16());
  return CUBLAS_STATUS_INVALID_VALUE;
}
