// var_mean(x, dims) = {var(x, dims), mean(x, dims)}: dx = G_var 2 (x - mean) / divisor + G_mean /
// n.
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/variance.h"
#include "ops/spec/joined_results.h"

namespace notape {
namespace {

Tensor var_mean_deviation(const Tensor& self, const Tensor& mean, const VarOver& p) {
  return scaled_deviation(self, restore_dims(mean, self.sizes(), p.dim, p.keepdim), p);
}

Tensor pull_back_var_mean(const PerResult<2>& grads, const Tensor& self, const Tensor& mean,
                          const VarOver& p) {
  const Tensor &of_var = grads[0], &of_mean = grads[1];
  Tensor result;
  if (of_var.defined())
    result =
        restore_dims(of_var, self.sizes(), p.dim, p.keepdim) * var_mean_deviation(self, mean, p);
  if (!of_mean.defined()) return result;
  const Tensor share = shares_of_mean(of_mean, self, p);
  return result.defined() ? result + share : share;
}

constexpr auto kVarMeanDerivative =
    derivative("VarMeanBackward0",
               rule([](const PerResult<2>& grads, const Input<0>& self, const Result<1>& mean,
                       const VarOver& p) { return pull_back_var_mean(grads, self, mean, p); },
                    [](const Tensor& tangent, const Input<0>& self, const Result<1>& mean,
                       const VarOver& p) -> PerResult<2> {
                      return {sum(tangent * var_mean_deviation(self, mean, p), p.dim, p.keepdim),
                              notape::mean(tangent, p.dim, p.keepdim)};
                    }))
        .with_results<"variance", "mean">();

OpCase draw_var_mean(Draw& draw) {
  const bool unbiased = draw.boolean();
  const auto call = [unbiased](const Tensor& x, const DrawnReduction& how) {
    const auto [variance, mean] = var_mean(x, how.dim, unbiased, how.keepdim);
    return joined_results({variance, mean});
  };
  OpCase one = reduction_case(draw, {.call = call,
                                     .of_group = PlainVariance{unbiased ? 1.0 : 0.0},
                                     .of_group_too = PlainMean{},
                                     .over = ReductionCase::Over::AllOrSeveralDims,
                                     .smallest = unbiased ? 2 : 1});
  if (!unbiased) one.label += ", biased";
  return one;
}

const RegisterOp var_mean_row(op_row("var_mean", "reduce", draw_var_mean, Trait::Reduces));

}  // namespace

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, At at) {
  return var_mean(self, IntArrayRef(), true, false, at);
}

std::tuple<Tensor, Tensor> detail::var_mean_corrected(const Tensor& self, IntArrayRef dim,
                                                      double correction, bool keepdim, At at) {
  const Operation op("var_mean", at);
  const auto [dims, over] = variance_over(op, self, dim, correction, keepdim);
  return std::tuple_cat(record(
      kVarMeanDerivative, op,
      PerResult<2>{raw_var(op, self, dims, over.divisor), raw_mean(op, self, dims)}, over, self));
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, IntArrayRef dim, bool unbiased,
                                    bool keepdim, At at) {
  return detail::var_mean_corrected(self, dim, unbiased ? 1 : 0, keepdim, at);
}

}  // namespace notape
