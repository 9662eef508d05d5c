// std(x, dims) = var(x, dims)^(1/2), taken in double before it is rounded; d/dx = (x - mean(x)) /
// (divisor std), and 0 where the deviation is 0: of all slopes there the smallest.
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/variance.h"

namespace notape {
namespace {

constexpr auto kStdDerivative = derivative(
    "StdBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& self, const Output& result, const VarOver& p) {
          return restore_dims(grad, self.sizes(), p.dim, p.keepdim) *
                 standard_score(self, result, p);
        },
        [](const Tensor& tangent, const Input<0>& self, const Output& result, const VarOver& p) {
          return sum(tangent * standard_score(self, result, p), p.dim, p.keepdim);
        }));

OpCase draw_std(Draw& draw) {
  const double correction = static_cast<double>(draw.integer(0, 3)) / 2;
  OpCase one = reduction_case(draw, {.call =
                                         [correction](const Tensor& x, const DrawnReduction& how) {
                                           return notape::std(x, how.dim, correction, how.keepdim);
                                         },
                                     .of_group =
                                         [correction]<typename T>(const std::vector<T>& group) {
                                           return math::sqrt(PlainVariance{correction}(group));
                                         },
                                     .over = ReductionCase::Over::AllOrSeveralDims,
                                     .smallest = 3,
                                     .far = Domain{.low = -kFarHigh, .high = kFarHigh}});
  spread_entries(draw, one);
  one.label += format_message(", correction {}", {correction});
  return one;
}

const RegisterOp std_row(op_row("std", "reduce", draw_std, Trait::Reduces));

}  // namespace

Tensor detail::std_corrected(const Tensor& self, IntArrayRef dim, double correction, bool keepdim,
                             At at) {
  const Operation op("std", at);
  const auto [dims, over] = variance_over(op, self, dim, correction, keepdim);
  return record(kStdDerivative, op, raw_std(op, self, dims, over.divisor), over, self);
}

Tensor std(const Tensor& self, At at) { return notape::std(self, IntArrayRef(), true, false, at); }

Tensor std(const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim, At at) {
  return detail::std_corrected(self, dim, unbiased ? 1 : 0, keepdim, at);
}

Tensor ReduceMembers::std(At at) const { return notape::std(self(), at); }
Tensor ReduceMembers::std(IntArrayRef dim, bool unbiased, bool keepdim, At at) const {
  return notape::std(self(), dim, unbiased, keepdim, at);
}

}  // namespace notape
