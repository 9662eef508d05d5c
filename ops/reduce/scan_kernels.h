// Scans along one dimension. Tensors are row-major, seen as `slices`.
#pragma once
#include "ops/reduce/reduction.h"

namespace notape {

/// The end at which a scan begins.
enum class ScanFrom { First, Last };
inline ScanFrom opposite(ScanFrom from) {
  return from == ScanFrom::First ? ScanFrom::Last : ScanFrom::First;
}

/// Running sums; floating ones are accumulated in double, integers give int64 and wrap around.
using CumsumKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& self,
                                 const Slices& slices, ScanFrom from)>;
extern CumsumKernel cumsum_kernel;

/// See linear_scan.h; `coefficients` has one entry less than `slices` along the dimension.
using LinearScanKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& coefficients,
                const Tensor& terms, const Slices& slices, ScanFrom from)>;
extern LinearScanKernel linear_scan_kernel;

/// result[i] = the product of all elements of the slice but the i-th, computed in double: what is
/// out of float's range may come back into it.
using ProductsOfOthersKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& self, const Slices& slices)>;
extern ProductsOfOthersKernel products_of_others_kernel;

}  // namespace notape
