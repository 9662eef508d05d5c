// What an index expression says, checked: a regular part of the tensor and, if tensors are among
// the indices, places in that part. Follows LibTorch: integers (0-d int64 tensors too) select
// first, so that x[0, :, i] puts the dimensions of i last, where NumPy puts them first.
#pragma once
#include "ops/index.h"
#include "ops/index/places.h"
#include "ops/shape/part.h"

namespace notape {

struct IndexExpression {
  /// Throws IndexError or ValueError, naming what does not fit.
  IndexExpression(const Operation& op, const Tensor& self,
                  const std::vector<indexing::TensorIndex>& indices);

  bool has_positions() const { return positions.defined(); }
  DimVector result_sizes() const;

  Part part;
  bool is_whole;     ///< the part is the tensor itself
  Tensor positions;  ///< undefined if no tensor is among the indices
  Places places;     ///< in the part
};

/// `values` without leading dimensions of size 1 that the target lacks. Throws ShapeError unless
/// the rest broadcasts to `sizes`.
Tensor fit_values(const Operation& op, const Tensor& values, IntArrayRef sizes);

}  // namespace notape
