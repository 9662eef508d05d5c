// linear_scan(c, b): h[0] = b[0], h[i+1] = b[i+1] + c[i] h[i] along one dimension, or from the
// other end: h[n-1] = b[n-1], h[i] = b[i] + c[i] h[i+1]. Its derivatives are linear scans again, so
// every order is exact without a division. Running products are linear scans of (1, 0, 0, ...).
#pragma once
#include "ops/at.h"
#include "ops/reduce/scan_kernels.h"

namespace notape {

/// `coefficients` has one entry less than `terms` along `dim`, else the same sizes and floating
/// dtype. Internal: arguments are not checked.
Tensor linear_scan(const Tensor& coefficients, const Tensor& terms, int64_t dim, ScanFrom from,
                   At at = At::current());

}  // namespace notape
