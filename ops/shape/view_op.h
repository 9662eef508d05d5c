// What view operators build on: an alias with a new geometry, recorded with its own derivative.
#pragma once
#include "autograd/graph/record.h"
#include "ops/core/promotion.h"

namespace notape {

/// A view of `self` through `geometry` (offset counted from the storage's start).
template <typename D, typename Parameters = NoParameters>
Tensor view_as(const D& derivative, const Operation& op, const Tensor& self, Geometry geometry,
               Parameters parameters = {}) {
  Tensor result = make_view(self, std::move(geometry));
  return record(derivative, op, std::move(result), std::move(parameters), self);
}

/// The in-place form of a view operator: `self` takes over geometry and history of what `view`
/// makes of it. Checked first. Throws LeafInPlace, AmbiguousViewWrite, FunctionViewWrite.
Tensor& become(const Operation& op, Tensor& self, const std::function<Tensor()>& view);

/// Sizes or dimensions as an operator's parameters.
using Sizes = DimVector;

}  // namespace notape
