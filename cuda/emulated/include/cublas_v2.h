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
using cublasHandle_t = struct cublasContext*;

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
