// gemm: result = beta result + alpha a b, for one pair of matrices or a batch of them. Every
// product of the library ends here. Plain data, so that a call costs no allocation.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// A matrix (or a batch) in memory, with strides in elements. A transpose is a swap of strides.
struct Matrix {
  void* data;
  int64_t rows, columns;
  int64_t row_stride, column_stride;
  int64_t batch_stride = 0;

  Matrix transposed() const {
    return {data, columns, rows, column_stride, row_stride, batch_stride};
  }
  Matrix transposed_if(bool swap) const { return swap ? transposed() : *this; }
};

/// The last two dimensions of a tensor of two or three.
inline Matrix matrix_of(const Tensor& tensor) {
  const TensorImpl& impl = tensor.impl();
  const Geometry& g = impl.geometry();
  const int last = g.dim() - 1;
  return {impl.data(),        g.size(last - 1), g.size(last),
          g.stride(last - 1), g.stride(last),   last == 2 ? g.stride(0) : 0};
}

/// Strides of a and b are arbitrary, 0 included; elements of the result are distinct and none of
/// them is one of a or b. beta = 0 ignores what the result holds, alpha = 0 what a and b hold.
/// Integers wrap around. The same call gives the same bits each time; on the CPU, large products
/// may differ in the last bits between numbers of BLAS threads.
struct GemmCall {
  Matrix result, a, b;  // (n, m), (n, k), (k, m)
  int64_t batch = 1;
  Scalar beta = 0, alpha = 1;
  ScalarType dtype = kFloat32;
  Device device = kCPU;
};
using GemmKernel = Kernel<void(const Operation&, const GemmCall&)>;
extern GemmKernel gemm_kernel;

inline void gemm(const Operation& op, const GemmCall& call) {
  gemm_kernel(op, call.dtype, call.device, call);
}

}  // namespace notape
