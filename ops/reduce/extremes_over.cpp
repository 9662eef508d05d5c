#include "ops/reduce/extremes_over.h"

#include <algorithm>

#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/reduced.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/as_slices.h"
#include "ops/selection.h"

namespace notape {
namespace {

/// A NaN extreme, and there is no other where there are NaNs, is equalled by every NaN.
Tensor tied(const Tensor& self, const Tensor& extreme, const ExtremeOver& p) {
  return eq(self, restore_dims(extreme, self.sizes(), p.dim, p.keepdim)) + ne(self, self);
}

}  // namespace

Tensor raw_extremes_over(const Operation& op, const Tensor& self, const ReducedDims& dims,
                         Extreme which) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return raw_extremes_over(op, all, dims.behind_batch(size), which);
        },
        self);
  if (is_reduced_floating_point(self.dtype()))
    return in_float32([&](const Tensor& x) { return raw_extremes_over(op, x, dims, which); }, self);
  Tensor result = allocate(dims.result_sizes, self.dtype(), self.device());
  if (result.numel() == 0) return result;
  const auto run = [&](const Tensor& from, const Slices& slices) {
    extremum_kernel(op, self.dtype(), self.device(), result, {}, from, slices, which);
  };
  const std::optional<Slices> slices = as_slices(self, dims);
  if (slices && self.device().is_cpu())
    run(self, *slices);
  else
    run(as_rows(self, dims), Slices({result.numel(), dims.count}, 1));
  return result;
}

Tensor checked_extremes_over(const Operation& op, const Tensor& self, const ReducedDims& dims,
                             IntArrayRef dim, Extreme which) {
  if (self.numel() == 0 && dim.empty())
    op.fail<ShapeError>(
        "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
        "with the 'dim' argument. The input has size {}",
        to_string(self.sizes()));
  for (int64_t d : dim)
    if (self.dim() > 0 && self.size(d) == 0)
      op.fail<IndexError>(
          "Expected reduction dim {} to have non-zero size, but the input has size {}", d,
          to_string(self.sizes()));
  return raw_extremes_over(op, self, dims, which);
}

Tensor share_among_tied(const Tensor& value, const Tensor& self, const Tensor& extreme,
                        const ExtremeOver& p) {
  const Tensor mask = tied(self, extreme, p);
  const Tensor restored = restore_dims(value, self.sizes(), p.dim, p.keepdim);
  return where(mask, restored / sum(mask, p.dim, true), 0);
}

Tensor mean_of_tied(const Tensor& tangent, const Tensor& self, const Tensor& extreme,
                    const ExtremeOver& p) {
  const Tensor mask = tied(self, extreme, p);
  return sum(where(mask, tangent, 0), p.dim, p.keepdim) / sum(mask, p.dim, p.keepdim);
}

OpSpec extremes_over_spec(const char* name, Extreme which,
                          Tensor (*call)(const Tensor&, IntArrayRef, bool),
                          std::source_location at) {
  const bool largest = which == Extreme::Largest;
  const auto extreme_of = [largest]<typename T>(const std::vector<T>& group) {
    T best = group[0];
    for (std::size_t i = 1; i < group.size(); ++i)
      if (largest ? best < group[i] : group[i] < best) best = group[i];
    return best;
  };
  return {.name = name,
          .family = "reduce",
          .draw =
              [call, extreme_of](Draw& draw) {
                return reduction_case(draw,
                                      {.call =
                                           [call](const Tensor& x, const DrawnReduction& how) {
                                             return call(x, how.dim, how.keepdim);
                                           },
                                       .of_group = extreme_of,
                                       .over = ReductionCase::Over::AllOrSeveralDims,
                                       .smallest = 1,
                                       .distinct = true});
              },
          .traits = Trait::Reduces,
          .at = at};
}

}  // namespace notape
