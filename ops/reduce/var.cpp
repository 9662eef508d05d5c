// var(x, dims) = sum((x - mean(x))^2) / (n - 1), or / n if not unbiased; d/dx = 2 (x - mean(x))
// over the same divisor. One element has no unbiased variance: NaN.
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/variance.h"

namespace notape {
namespace {

Tensor var_deviation(const Tensor& self, const VarOver& p) {
  return scaled_deviation(self, mean(self, p.dim, true), p);
}

constexpr auto kVarDerivative = derivative(
    "VarBackward0", rule(
                        [](const Tensor& grad, const Input<0>& self, const VarOver& p) {
                          return restore_dims(grad, self.sizes(), p.dim, p.keepdim) *
                                 var_deviation(self, p);
                        },
                        [](const Tensor& tangent, const Input<0>& self, const VarOver& p) {
                          return sum(tangent * var_deviation(self, p), p.dim, p.keepdim);
                        }));

OpCase draw_var(Draw& draw) {
  const bool unbiased = draw.boolean();
  OpCase one = reduction_case(draw, {.call =
                                         [unbiased](const Tensor& x, const DrawnReduction& how) {
                                           return var(x, how.dim, unbiased, how.keepdim);
                                         },
                                     .of_group = PlainVariance{unbiased ? 1.0 : 0.0},
                                     .over = ReductionCase::Over::AllOrSeveralDims,
                                     .smallest = unbiased ? 2 : 1,
                                     .far = Domain{.low = -kFarHigh, .high = kFarHigh}});
  if (!unbiased) one.label += ", biased";
  return one;
}

const RegisterOp var_row(op_row("var", "reduce", draw_var, Trait::Reduces));

}  // namespace

Tensor var(const Tensor& self, At at) { return var(self, IntArrayRef(), true, false, at); }

Tensor detail::var_corrected(const Tensor& self, IntArrayRef dim, double correction, bool keepdim,
                             At at) {
  const Operation op("var", at);
  const auto [dims, over] = variance_over(op, self, dim, correction, keepdim);
  return record(kVarDerivative, op, raw_var(op, self, dims, over.divisor), over, self);
}

Tensor var(const Tensor& self, IntArrayRef dim, bool unbiased, bool keepdim, At at) {
  return detail::var_corrected(self, dim, unbiased ? 1 : 0, keepdim, at);
}

Tensor ReduceMembers::var(At at) const { return notape::var(self(), at); }
Tensor ReduceMembers::var(IntArrayRef dim, bool unbiased, bool keepdim, At at) const {
  return notape::var(self(), dim, unbiased, keepdim, at);
}

}  // namespace notape
