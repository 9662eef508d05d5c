// What cumprod, logcumsumexp, cummax and cummin share: kernels that run along slices, and how they
// meet batches, dtypes and strides.
#pragma once
#include "ops/core/reduced.h"
#include "ops/reduce/extremum.h"
#include "ops/reduce/ordering.h"

namespace notape {

/// result[i] from self[0], ..., self[i] of each slice; all row-major.
using RunningKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& self, const Slices& slices)>;
/// Products in double, of integers in int64, which wrap around.
extern RunningKernel cumprod_kernel;
/// log(sum(e^self[..i])) of floats.
extern RunningKernel logcumsumexp_kernel;

/// The extreme so far, NaN beating numbers, the last of equal ones, and its place.
using RunningExtremeKernel =
    Kernel<void(const Operation&, const Tensor& values, const Tensor& indices, const Tensor& self,
                const Slices& slices, Extreme which)>;
extern RunningExtremeKernel running_extreme_kernel;

/// No graph; 0 <= dim. The result has self's dtype if that is floating, else int64.
Tensor raw_running(const Operation& op, const RunningKernel& kernel, const Tensor& self,
                   int64_t dim);
PerResult<2> raw_running_extremes(const Operation& op, const Tensor& self, int64_t dim,
                                  Extreme which);

/// x without its first (last) entry along dim, and x moved on by one entry, `first` coming in.
Tensor without_first(const Tensor& x, int64_t dim);
Tensor without_last(const Tensor& x, int64_t dim);
Tensor moved_on(const Tensor& x, int64_t dim, double first);

}  // namespace notape
