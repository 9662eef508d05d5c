// median(x): the middle element, of an even number the smaller one of both; NaN if there is one.
// The gradient of all is shared by what equals it, along a dimension it goes to the index.
#include <algorithm>
#include <limits>

#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/extremes_over.h"
#include "ops/reduce/extremum_operator.h"
#include "ops/reduce/ordering.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// {values, indices} along `dim`, which both keep and which has elements; no graph.
PerResult<2> raw_median(const Operation& op, const Tensor& self, int64_t dim) {
  if (self.dim() == 0) return raw_order(op, self, 0, 1, false);
  const int64_t middle = (self.size(dim) - 1) / 2;
  const NoGradGuard no_grad;
  const PerResult<2> lower = raw_order(op, self, dim, middle + 1, false);
  const PerResult<2> last = raw_order(op, self, dim, 1, true);  // NaN, if there is one
  const Tensor is_nan = ne(last[0], last[0]);
  PerResult<2> result;
  for (std::size_t i = 0; i < 2; ++i)
    result[i] = where(is_nan, last[i], narrow(lower[i], dim, middle, 1));
  return result;
}

constexpr auto kMedianAll = extremum_derivative("MedianBackward0");
constexpr auto kMedianAlongDim = extremum_along_dim_derivative("MedianBackward1");

constexpr auto middle_of = []<typename T>(std::vector<T> group) {
  std::stable_sort(group.begin(), group.end(),
                   [](const T& a, const T& b) { return plainly_before(a, b, false); });
  return group[(group.size() - 1) / 2];
};
constexpr auto median_of = []<typename T>(const std::vector<T>& group) {
  for (const T& value : group)
    if constexpr (requires { value.slope; }) {
      if (value.value != value.value) return value;
    } else if (value != value) {
      return value;
    }
  return middle_of(group);
};

OpCase draw_all(Draw& draw) {
  return reduction_case(draw,
                        {.call = [](const Tensor& x, const DrawnReduction&) { return median(x); },
                         .of_group = median_of,
                         .over = ReductionCase::Over::All,
                         .smallest = 1,
                         .distinct = true});
}
OpCase draw_along_dim(Draw& draw) {
  return reduction_case(draw, {.call =
                                   [](const Tensor& x, const DrawnReduction& how) {
                                     return std::get<0>(median(x, how.dim[0], how.keepdim));
                                   },
                               .of_group = median_of,
                               .over = ReductionCase::Over::OneDim,
                               .smallest = 1,
                               .distinct = true});
}

const RegisterOp median_all_row(op_row("median", "reduce", draw_all, Trait::Reduces));
const RegisterOp median_dim_row(op_row("median_dim", "reduce", draw_along_dim, Trait::Permutes));

void refuse_bool(const Operation& op, const Tensor& self) {
  check_operands(op, {&self});
  if (self.dtype() == kBool) op.fail<DtypeError>("does not support bool input");
}

}  // namespace

Tensor median(const Tensor& self, At at) {
  const Operation op("median", at);
  refuse_bool(op, self);
  if (self.numel() == 0) {
    if (!self.is_floating_point())
      op.fail<ShapeError>("there is no median of no integers; the input has size {}",
                          to_string(self.sizes()));
    return record(kMedianAll, op,
                  full({}, std::numeric_limits<double>::quiet_NaN(),
                       TensorOptions(self.dtype()).device(self.device())),
                  NoParameters{}, self);
  }
  const Tensor found = [&] {
    const NoGradGuard no_grad;
    return reshape(raw_median(op, reshape(self, {self.numel()}, at), 0)[0], {}, at);
  }();
  return record(kMedianAll, op, raw_alias(found, found.impl().geometry()), NoParameters{}, self);
}

std::tuple<Tensor, Tensor> median(const Tensor& self, Integer dim, bool keepdim, At at) {
  const Operation op("median", at);
  refuse_bool(op, self);
  const AlongDim along{wrap_dim(op, dim, self.dim()), keepdim};
  if (self.dim() > 0 && self.size(along.dim) == 0)
    op.fail<IndexError>(
        "Expected reduction dim {} to have non-zero size, but the input has size {}", dim,
        to_string(self.sizes()));
  PerResult<2> found = raw_median(op, self, along.dim);
  if (!keepdim && self.dim() > 0) {
    const NoGradGuard no_grad;
    for (Tensor& result : found) {
      result = squeeze(result, along.dim, at);
      result = raw_alias(result, result.impl().geometry());  // no view of anything
    }
  }
  return std::tuple_cat(record(kMedianAlongDim, op, std::move(found), along, self));
}

Tensor ReduceMembers::median(At at) const { return notape::median(self(), at); }
std::tuple<Tensor, Tensor> ReduceMembers::median(Integer dim, bool keepdim, At at) const {
  return notape::median(self(), dim, keepdim, at);
}

}  // namespace notape
