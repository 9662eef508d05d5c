// What the file of a reduction includes that is made of a functor. The file is compiled twice: as
// C++, and as CUDA, which sees the functors and kernels, and not what stands between `#ifndef
// __CUDACC__` and
// `#endif`.
#pragma once
#include "ops/reduce/reduction_kernel.h"
#ifndef __CUDACC__
#include "ops/reduce/reduction.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {

/// The functor's value of each row of elements that meet in one result, no graph. Throws NoKernel
/// for devices and element types that the functor was not compiled for.
Tensor reduce_rows(const Operation& op, const ReductionSlots& kernel, const void* functor,
                   const Tensor& self, const ReducedDims& dims);
template <typename F>
Tensor reduce(const Operation& op, const ReductionKernel<F>& kernel, const F& functor,
              const Tensor& self, const ReducedDims& dims) {
  return reduce_rows(op, kernel, &functor, self, dims);
}

}  // namespace notape
#endif
