// ElementwisePlan: a loop over several strided operands at once, with neighbouring dimensions
// fused. Shared by the CPU and the GPU, so it is plain data.
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"

namespace notape {

struct ElementwisePlan {
  static constexpr int kMaxOperands = 5;  // the output and up to four inputs
  static constexpr int kMaxDims = 64;

  int operands = 0;
  int ndim = 0;
  int64_t numel = 0;
  char* data[kMaxOperands];                 // data[0] is the output
  int64_t sizes[kMaxDims];                  // fastest dimension first
  int64_t strides[kMaxDims][kMaxOperands];  // in bytes

  /// Where the first kOperands operands have element `index`, the fastest dimension first.
  template <int kOperands>
  NOTAPE_HD void locate(int64_t index, char* (&places)[kOperands]) const {
    for (int k = 0; k < kOperands; ++k) places[k] = data[k];
    for (int d = 0; d < ndim; ++d) {
      const int64_t at = index % sizes[d];
      index /= sizes[d];
      for (int k = 0; k < kOperands; ++k) places[k] += at * strides[d][k];
    }
  }
};

}  // namespace notape
