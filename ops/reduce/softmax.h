// What softmax and log_softmax share: both need the maximum and the sum of exponentials of each
// slice along a dimension.
#pragma once
#include "ops/reduce/reduction.h"

namespace notape {

/// What both are told.
struct SliceDim {
  int64_t dim;
};

/// All tensors row-major, of one shape and floating dtype, seen as `slices`.
using SoftmaxKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& self, const Slices& slices)>;
extern SoftmaxKernel softmax_kernel, log_softmax_kernel;
/// Of a gradient or tangent g and y, the result of the operator: softmax_formulas.h.
using SoftmaxGradientKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& g,
                                          const Tensor& y, const Slices& slices)>;
extern SoftmaxGradientKernel softmax_gradient_kernel, log_softmax_gradient_kernel,
    log_softmax_tangent_kernel;

/// No graph. Throws DtypeError, IndexError, NoKernel.
Tensor raw_softmax(const Operation& op, const SoftmaxKernel& kernel, const Tensor& self,
                   int64_t dim);
Tensor raw_softmax_gradient(const Operation& op, const SoftmaxGradientKernel& kernel,
                            const Tensor& g, const Tensor& y, int64_t dim);

}  // namespace notape
