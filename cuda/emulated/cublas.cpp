#include "cublasLt.h"

#include <cblas.h>

#include <algorithm>
#include <vector>

#include "autograd/tensor/scalar_type.h"
#include "cuda/emulated/accesses.h"
#include "cuda/emulated/work.h"

namespace emulator {
bool refuses_bias = false;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS         ? "success"
         : status == CUBLAS_STATUS_INVALID_VALUE ? "invalid value"
         : status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported"
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

/// Columns that a product is added to in place of the result's; for a bias, all are the same one.
template <typename T>
struct Addend {
  const T* data = nullptr;
  int64_t step = 0;
};

/// gemm(i): the product of the i-th matrices.
template <typename T, typename Gemm>
cublasStatus_t multiply(cublasHandle_t handle, const Matrices<const T>& a,
                        const Matrices<const T>& b, const Matrices<T>& c, int64_t k, T beta,
                        Addend<T> addend, int64_t count, const Gemm& gemm) {
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
      for (int64_t j = 0; addend.data && j < (addend.step == 0 ? 1 : c.columns); ++j)
        note_access(addend.data + j * addend.step, static_cast<std::size_t>(c.rows) * sizeof(T),
                    false, launch, "a product");
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
                    int64_t b_step, const T* beta, T* c, int64_t ldc, int64_t c_step, int64_t count,
                    Addend<T> addend = {}) {
  return multiply<T>(
      handle, factor(a, a_as, m, k, lda, a_step), factor(b, b_as, k, n, ldb, b_step),
      Matrices<T>{c, m, n, ldc, c_step}, k, addend.data ? T(0) : *beta, addend, count,
      [=, alpha = *alpha, beta = *beta](const T* one_a, const T* one_b, T* one_c) {
        for (int64_t j = 0; addend.data && j < n; ++j)
          std::copy_n(addend.data + j * addend.step, m, one_c + j * ldc);
        function(CblasColMajor, cblas(a_as), cblas(b_as), static_cast<int>(m), static_cast<int>(n),
                 static_cast<int>(k), alpha, one_a, static_cast<int>(lda), one_b,
                 static_cast<int>(ldb), beta, one_c, static_cast<int>(ldc));
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
                               float alpha, float beta, int64_t count, Addend<T> addend = {}) {
  return multiply<T>(
      handle, a, b, c, k, T(addend.data ? 0 : beta), addend, count,
      [=](const T* one_a, const T* one_b, T* one_c) {
        const std::vector<float> wide_a = widened(a, one_a), wide_b = widened(b, one_b);
        std::vector<float> wide_c(static_cast<std::size_t>(c.rows * c.columns));
        if (addend.data)
          wide_c = widened(Matrices<const T>{addend.data, c.rows, c.columns, addend.step, 0},
                           addend.data);
        else if (beta != 0)
          wide_c = widened(c, one_c);
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

// ---- cuBLASLt

struct cublasLtLayoutStruct {
  cudaDataType_t type;
  int64_t rows, columns, leading;
};
struct cublasLtMatmulStruct {
  cublasComputeType_t computes;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};
struct cublasLtPreferenceStruct {
  std::size_t workspace = 0;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType_t type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
  *layout = new cublasLtLayoutStruct{type, static_cast<int64_t>(rows),
                                     static_cast<int64_t>(columns), leading};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* how, cublasComputeType_t computes,
                                        cudaDataType_t factors) {
  const bool is_wide = computes == CUBLAS_COMPUTE_64F;
  if (factors != (is_wide ? CUDA_R_64F : CUDA_R_32F)) return CUBLAS_STATUS_INVALID_VALUE;
  *how = new cublasLtMatmulStruct{computes};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t how) {
  delete how;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t how,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  const auto set = [&](auto& member) {
    if (bytes != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
    std::copy_n(static_cast<const char*>(value), bytes, reinterpret_cast<char*>(&member));
    return CUBLAS_STATUS_SUCCESS;
  };
  return attribute == CUBLASLT_MATMUL_DESC_TRANSA     ? set(how->a)
         : attribute == CUBLASLT_MATMUL_DESC_TRANSB   ? set(how->b)
         : attribute == CUBLASLT_MATMUL_DESC_EPILOGUE ? set(how->epilogue)
                                                      : set(how->bias);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new cublasLtPreferenceStruct;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  const bool is_size = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
  if (bytes != (is_size ? sizeof(std::size_t) : sizeof(uint32_t)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (is_size)
    preference->workspace = *static_cast<const std::size_t*>(value);
  else
    preference->alignments[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES] =
        *static_cast<const uint32_t*>(value);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t how,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int,
                                              cublasLtMatmulHeuristicResult_t* way, int* count) {
  constexpr std::size_t kWorkspace = 1024;
  *count = 0;
  const bool is_wide = how->computes == CUBLAS_COMPUTE_64F;
  if (a->type != d->type || b->type != d->type || is_wide != (d->type == CUDA_R_64F))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (emulator::refuses_bias || preference->workspace < kWorkspace)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  *way = {{}, kWorkspace, CUBLAS_STATUS_SUCCESS};
  std::copy_n(preference->alignments, 4, way->algo.alignments);
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t light, cublasLtMatmulDesc_t how, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t of_a, const void* b,
                              cublasLtMatrixLayout_t of_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t of_c, void* d, cublasLtMatrixLayout_t of_d,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t bytes, cudaStream_t stream) {
  const int64_t m = of_d->rows, n = of_d->columns,
                k = how->a == CUBLAS_OP_N ? of_a->columns : of_a->rows;
  const bool fits = (how->a == CUBLAS_OP_N ? of_a->rows : of_a->columns) == m &&
                    (how->b == CUBLAS_OP_N ? of_b->columns : of_b->rows) == n &&
                    (how->b == CUBLAS_OP_N ? of_b->rows : of_b->columns) == k;
  const void* const operands[] = {a, b, c, d};
  for (std::size_t i = 0; i < 4; ++i)
    if (!operands[i] || reinterpret_cast<uintptr_t>(operands[i]) % algorithm->alignments[i] != 0)
      return CUBLAS_STATUS_INVALID_VALUE;
  const bool has_bias = how->epilogue == CUBLASLT_EPILOGUE_BIAS;
  const bool has_addend = c != d && of_c->rows == m && of_c->columns == n;
  if (!fits || bytes < 1024 || !workspace || has_bias == has_addend)
    return CUBLAS_STATUS_INVALID_VALUE;
  const void* const added = has_bias ? how->bias : c;
  const int64_t step = has_bias ? 0 : of_c->leading;
  cublasContext with{stream};
  static_cast<void>(light);
  const auto run = [&]<typename T>(const auto& function) {
    const T one = 1;
    return gemm(function, &with, how->a, how->b, m, n, k, static_cast<const T*>(alpha),
                static_cast<const T*>(a), of_a->leading, 0, static_cast<const T*>(b), of_b->leading,
                0, has_bias ? &one : static_cast<const T*>(beta), static_cast<T*>(d), of_d->leading,
                0, 1, Addend<T>{static_cast<const T*>(added), step});
  };
  const auto run_16 = [&]<typename T>() {
    return gemm_of_16_bits<T>(
        &with, how->a, how->b, factor(static_cast<const T*>(a), how->a, m, k, of_a->leading, 0),
        factor(static_cast<const T*>(b), how->b, k, n, of_b->leading, 0),
        Matrices<T>{static_cast<T*>(d), m, n, of_d->leading, 0}, k,
        *static_cast<const float*>(alpha), has_bias ? 1 : *static_cast<const float*>(beta), 1,
        Addend<T>{static_cast<const T*>(added), step});
  };
  return of_d->type == CUDA_R_64F   ? run.operator()<double>(cblas_dgemm)
         : of_d->type == CUDA_R_32F ? run.operator()<float>(cblas_sgemm)
         : of_d->type == CUDA_R_16F ? run_16.operator()<notape::Half>()
                                    : run_16.operator()<notape::BFloat16>();
}
