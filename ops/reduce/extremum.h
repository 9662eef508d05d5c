// What max, min, argmax and argmin share. NaN beats every number.
#pragma once
#include "ops/reduce/reduction.h"

namespace notape {

enum class Extreme { Largest, Smallest };

/// The first of the extremes of each slice of at least one element, and where it stands, unless
/// `indices` is undefined. All tensors row-major.
using ExtremumKernel = Kernel<void(const Operation&, const Tensor& values, const Tensor& indices,
                                   const Tensor& self, const Slices& slices, Extreme which)>;
extern ExtremumKernel extremum_kernel;

/// The extreme of all elements, 0-d, no graph. Throws ShapeError if there are none.
Tensor raw_extreme(const Operation& op, const Tensor& self, Extreme which);

/// The extremes along `dim` and where they stand (int64, the first of equal ones), no graph. Throws
/// IndexError if there is nothing to choose from.
struct ExtremesAndIndices {
  Tensor values, indices;
};
ExtremesAndIndices raw_extremes(const Operation& op, const Tensor& self, int64_t dim, bool keepdim,
                                Extreme which);

/// The indices alone. Throws as above, and DtypeError for bool.
Tensor raw_place_of_extreme(const Operation& op, const Tensor& self, int64_t dim, bool keepdim,
                            Extreme which);

/// What an operator along a dimension is told.
struct AlongDim {
  int64_t dim;
  bool keepdim;
};

/// `value`, 0-d, shared evenly by the elements of `self` that equal its extreme, 0 elsewhere.
Tensor share_among_tied(const Tensor& value, const Tensor& self, const Tensor& extreme);
/// The mean of `tangent` over the elements of `self` that equal its extreme.
Tensor mean_of_tied(const Tensor& tangent, const Tensor& self, const Tensor& extreme);
/// Zeros of `sizes` with `value` at `indices` along the dimension, and the way back.
Tensor scatter_to_indices(const Tensor& value, IntArrayRef sizes, const Tensor& indices,
                          const AlongDim& p);
Tensor gather_at_indices(const Tensor& value, const Tensor& indices, const AlongDim& p);

}  // namespace notape
