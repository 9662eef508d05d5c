// std_mean(x, dims) = {std(x, dims), mean(x, dims)}, with one node for both.
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/variance.h"
#include "ops/spec/joined_results.h"

namespace notape {
namespace {

Tensor pull_back_std_mean(const PerResult<2>& grads, const Tensor& self, const Tensor& deviation,
                          const VarOver& p) {
  const Tensor &of_std = grads[0], &of_mean = grads[1];
  Tensor result;
  if (of_std.defined())
    result =
        restore_dims(of_std, self.sizes(), p.dim, p.keepdim) * standard_score(self, deviation, p);
  if (!of_mean.defined()) return result;
  const Tensor share = shares_of_mean(of_mean, self, p);
  return result.defined() ? result + share : share;
}

constexpr auto kStdMeanDerivative =
    derivative("StdMeanBackward0",
               rule([](const PerResult<2>& grads, const Input<0>& self, const Result<0>& deviation,
                       const VarOver& p) { return pull_back_std_mean(grads, self, deviation, p); },
                    [](const Tensor& tangent, const Input<0>& self, const Result<0>& deviation,
                       const VarOver& p) -> PerResult<2> {
                      return {sum(tangent * standard_score(self, deviation, p), p.dim, p.keepdim),
                              notape::mean(tangent, p.dim, p.keepdim)};
                    }))
        .with_results<"deviation", "mean">();

OpCase draw_std_mean(Draw& draw) {
  const bool unbiased = draw.boolean();
  const auto call = [unbiased](const Tensor& x, const DrawnReduction& how) {
    const auto [deviation, mean] = std_mean(x, how.dim, unbiased, how.keepdim);
    return joined_results({deviation, mean});
  };
  OpCase one =
      reduction_case(draw, {.call = call,
                            .of_group =
                                [unbiased]<typename T>(const std::vector<T>& group) {
                                  return math::sqrt(PlainVariance{unbiased ? 1.0 : 0.0}(group));
                                },
                            .of_group_too = PlainMean{},
                            .over = ReductionCase::Over::AllOrSeveralDims,
                            .smallest = 3});
  spread_entries(draw, one);
  if (!unbiased) one.label += ", biased";
  return one;
}

const RegisterOp std_mean_row(op_row("std_mean", "reduce", draw_std_mean, Trait::Reduces));

}  // namespace

std::tuple<Tensor, Tensor> detail::std_mean_corrected(const Tensor& self, IntArrayRef dim,
                                                      double correction, bool keepdim, At at) {
  const Operation op("std_mean", at);
  const auto [dims, over] = variance_over(op, self, dim, correction, keepdim);
  return std::tuple_cat(record(
      kStdMeanDerivative, op,
      PerResult<2>{raw_std(op, self, dims, over.divisor), raw_mean(op, self, dims)}, over, self));
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, At at) {
  return std_mean(self, IntArrayRef(), true, false, at);
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, IntArrayRef dim, bool unbiased,
                                    bool keepdim, At at) {
  return detail::std_mean_corrected(self, dim, unbiased ? 1 : 0, keepdim, at);
}

}  // namespace notape
