// Rows of reductions: random dimensions, and references that see each result's elements as a list.
#pragma once
#include "ops/spec/far_domain.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {

/// How a case reduces.
struct DrawnReduction {
  std::vector<int64_t> dim;  // empty: all
  bool keepdim;
};

/// A reduction to describe in a row.
struct ReductionCase {
  enum class Over { All, OneDim, AllOrOneDim, AllOrSeveralDims };
  std::function<Tensor(const Tensor&, const DrawnReduction&)> call;
  GroupFunction of_group;           // a result from its elements
  GroupFunction of_group_too = {};  // the same for the second of two, which `call` has joined
  std::function<Tensor(const Tensor&, const DrawnReduction&)> beside = {};  // OpCase::beside
  GroupFunction of_group_beside = {};
  Over over = Over::AllOrOneDim;
  int64_t smallest = 0;            // the least size of a dimension
  std::optional<Domain> far = {};  // near_or_far()
  bool distinct = false;           // no two elements tie
  bool averages = false;           // OpCase::averaged
};
OpCase reduction_case(Draw& draw, const ReductionCase& row);

/// An operator along one dimension that keeps the shape: `of_slice` maps the elements of a slice to
/// new ones.
OpCase slice_case(Draw& draw, std::function<Tensor(const Tensor&, int64_t dim)> call,
                  SliceFunction of_slice, std::optional<Domain> far = {},
                  std::function<void(Tensor&, int64_t dim)> call_in_place = {});

/// Differences for which all but the largest exponential underflow.
inline constexpr double kFarApart = 400;

}  // namespace notape
