// In place of NVIDIA's header of this name: the part of cuBLAS that notape uses, computed by
// OpenBLAS when the emulated stream comes to it.
#pragma once
#include "cuda_runtime.h"

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_NOT_SUPPORTED = 15
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
struct cublasContext {
  cudaStream_t stream = nullptr;
};
using cublasHandle_t = cublasContext*;
using cudaDataType = cudaDataType_t;

const char* cublasGetStatusString(cublasStatus_t);
cublasStatus_t cublasCreate(cublasHandle_t*);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);

// c = alpha a b + beta c of `count` matrices, each `step` elements after the one before.
cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t, cublasOperation_t a_as,
                                            cublasOperation_t b_as, int64_t m, int64_t n, int64_t k,
                                            const float* alpha, const float* a, int64_t lda,
                                            int64_t a_step, const float* b, int64_t ldb,
                                            int64_t b_step, const float* beta, float* c,
                                            int64_t ldc, int64_t c_step, int64_t count);
cublasStatus_t cublasDgemmStridedBatched_64(cublasHandle_t, cublasOperation_t a_as,
                                            cublasOperation_t b_as, int64_t m, int64_t n, int64_t k,
                                            const double* alpha, const double* a, int64_t lda,
                                            int64_t a_step, const double* b, int64_t ldb,
                                            int64_t b_step, const double* beta, double* c,
                                            int64_t ldc, int64_t c_step, int64_t count);
/// Here of 16 bits only.
cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t, cublasOperation_t a_as,
                                             cublasOperation_t b_as, int64_t m, int64_t n,
                                             int64_t k, const void* alpha, const void* a,
                                             cudaDataType_t a_type, int64_t lda, int64_t a_step,
                                             const void* b, cudaDataType_t b_type, int64_t ldb,
                                             int64_t b_step, const void* beta, void* c,
                                             cudaDataType_t c_type, int64_t ldc, int64_t c_step,
                                             int64_t count, cublasComputeType_t, cublasGemmAlgo_t);

namespace emulator {
/// P A = L U and systems of equations, of `count` matrices or one (cusolver.cpp).
template <typename T>
struct OfMatrices {
  static cublasStatus_t getrf(cublasHandle_t, int n, T* const a[], int lda, int* pivots, int* infos,
                              int count);
  static cublasStatus_t getrs(cublasHandle_t, cublasOperation_t, int n, int columns,
                              const T* const a[], int lda, const int* pivots, T* const b[], int ldb,
                              int* info, int count);
  static cublasStatus_t trsm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,
                             cublasDiagType_t, int64_t m, int64_t n, const T* alpha,
                             const T* const a[], int64_t lda, T* const b[], int64_t ldb,
                             int64_t count);
};
}  // namespace emulator

inline constexpr auto* cublasSgetrfBatched = emulator::OfMatrices<float>::getrf;
inline constexpr auto* cublasDgetrfBatched = emulator::OfMatrices<double>::getrf;
inline constexpr auto* cublasSgetrsBatched = emulator::OfMatrices<float>::getrs;
inline constexpr auto* cublasDgetrsBatched = emulator::OfMatrices<double>::getrs;
inline constexpr auto* cublasStrsmBatched_64 = emulator::OfMatrices<float>::trsm;
inline constexpr auto* cublasDtrsmBatched_64 = emulator::OfMatrices<double>::trsm;
