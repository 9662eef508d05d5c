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

/// A copyable list of sizes or dimensions for use as an operator's parameters.
struct Sizes {
  std::vector<int64_t> values;
  operator IntArrayRef() const { return values; }
};

}  // namespace notape
