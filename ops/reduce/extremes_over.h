// What amax and amin share: an extreme over some dimensions, its gradient shared evenly by ties.
#pragma once
#include "ops/reduce/extremum.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/shape/view_op.h"

namespace notape {

struct ExtremeOver {
  Sizes dim;
  bool keepdim;
};

/// No graph; each result has elements to choose from.
Tensor raw_extremes_over(const Operation& op, const Tensor& self, const ReducedDims& dims,
                         Extreme which);
/// The same, checked: throws ShapeError or IndexError if there is nothing to choose from.
Tensor checked_extremes_over(const Operation& op, const Tensor& self, const ReducedDims& dims,
                             IntArrayRef dim, Extreme which);

/// `value`, of the result's shape, shared by the elements of `self` that equal its extreme.
Tensor share_among_tied(const Tensor& value, const Tensor& self, const Tensor& extreme,
                        const ExtremeOver& p);
/// The means of `tangent` over the elements of `self` that equal their extreme.
Tensor mean_of_tied(const Tensor& tangent, const Tensor& self, const Tensor& extreme,
                    const ExtremeOver& p);

constexpr auto extremes_over_derivative(const char* name) {
  return derivative(
      name, selection([](const Tensor& grad, const Input<0>& self, const Output& result,
                         const ExtremeOver& p) { return share_among_tied(grad, self, result, p); },
                      [](const Tensor& tangent, const Input<0>& self, const Output& result,
                         const ExtremeOver& p) { return mean_of_tied(tangent, self, result, p); }));
}

template <typename D>
Tensor extremes_over(const D& derivative, const Operation& op, const Tensor& self, IntArrayRef dim,
                     bool keepdim, Extreme which) {
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  return record(derivative, op, checked_extremes_over(op, self, dims, dim, which),
                ExtremeOver{{dim.vec()}, keepdim}, self);
}

OpSpec extremes_over_spec(const char* name, Extreme which,
                          Tensor (*call)(const Tensor&, IntArrayRef, bool),
                          std::source_location at = std::source_location::current());

}  // namespace notape
