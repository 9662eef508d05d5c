// Handles of cuBLAS.
#pragma once
#include <cublas_v2.h>

#include <mutex>

#include "cuda/runtime/gemm_layout.h"

namespace notape::cuda {

/// Throws DeviceError in cuBLAS's words.
void check(cublasStatus_t status);

/// Works for one stream at a time, so each stream has its own.
struct BlasHandle {
  std::mutex in_use;
  cublasHandle_t native = nullptr;
};
BlasHandle& blas_handle(Device device, void* stream);

inline cublasOperation_t blas_operation(const ColumnMajor& factor) {
  return factor.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

}  // namespace notape::cuda
