// var_mean(x, dims) = {var(x, dims), mean(x, dims)}: dx = G_var 2 (x - mean) / divisor + G_mean /
// n;  std_mean(x, dims) = {std(x, dims), mean(x, dims)} likewise, with one node for both.
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/variance.h"
#include "ops/spec/joined_results.h"

namespace notape {
namespace {

Tensor var_mean_slope(const Tensor& self, const Tensor& mean, const VarOver& p) {
  return scaled_deviation(self, restore_dims(mean, self.sizes(), p.dim, p.keepdim), p);
}

/// `slope`: that of the statistic beside the mean, or nothing if nobody asks.
Tensor pull_back(const PerResult<2>& grads, const Tensor& self, const VarOver& p,
                 const auto& slope) {
  const Tensor &of_statistic = grads[0], &of_mean = grads[1];
  Tensor result;
  if (of_statistic.defined())
    result = restore_dims(of_statistic, self.sizes(), p.dim, p.keepdim) * slope();
  if (!of_mean.defined()) return result;
  const Tensor share = shares_of_mean(of_mean, self, p);
  return result.defined() ? result + share : share;
}
PerResult<2> push_forward(const Tensor& tangent, const VarOver& p, const Tensor& slope) {
  return {sum(tangent * slope, p.dim, p.keepdim), notape::mean(tangent, p.dim, p.keepdim)};
}

constexpr auto kVarMeanDerivative =
    derivative("VarMeanBackward0",
               rule(
                   [](const PerResult<2>& grads, const Input<0>& self, const Result<1>& mean,
                      const VarOver& p) {
                     return pull_back(grads, self, p,
                                      [&] { return var_mean_slope(self, mean, p); });
                   },
                   [](const Tensor& tangent, const Input<0>& self, const Result<1>& mean,
                      const VarOver& p) -> PerResult<2> {
                     return push_forward(tangent, p, var_mean_slope(self, mean, p));
                   }))
        .with_results<"variance", "mean">();
constexpr auto kStdMeanDerivative =
    derivative("StdMeanBackward0",
               rule(
                   [](const PerResult<2>& grads, const Input<0>& self, const Result<0>& deviation,
                      const VarOver& p) {
                     return pull_back(grads, self, p,
                                      [&] { return standard_score(self, deviation, p); });
                   },
                   [](const Tensor& tangent, const Input<0>& self, const Result<0>& deviation,
                      const VarOver& p) -> PerResult<2> {
                     return push_forward(tangent, p, standard_score(self, deviation, p));
                   }))
        .with_results<"deviation", "mean">();

template <typename Call>
OpCase statistic_and_mean(Draw& draw, bool unbiased, int64_t smallest, Call call,
                          GroupFunction of_group) {
  OpCase one = reduction_case(draw, {.call =
                                         [=](const Tensor& x, const DrawnReduction& how) {
                                           const auto [statistic, mean] =
                                               call(x, how.dim, unbiased, how.keepdim);
                                           return joined_results({statistic, mean});
                                         },
                                     .of_group = of_group,
                                     .of_group_too = PlainMean{},
                                     .over = ReductionCase::Over::AllOrSeveralDims,
                                     .smallest = smallest});
  if (!unbiased) one.label += ", biased";
  return one;
}

OpCase draw_var_mean(Draw& draw) {
  const bool unbiased = draw.boolean();
  return statistic_and_mean(
      draw, unbiased, unbiased ? 2 : 1, [](auto... x) { return var_mean(x...); },
      PlainVariance{unbiased ? 1.0 : 0.0});
}

OpCase draw_std_mean(Draw& draw) {
  const bool unbiased = draw.boolean();
  OpCase one = statistic_and_mean(
      draw, unbiased, 3, [](auto... x) { return std_mean(x...); },
      [unbiased]<typename T>(const std::vector<T>& group) {
        return math::sqrt(PlainVariance{unbiased ? 1.0 : 0.0}(group));
      });
  spread_entries(draw, one);
  return one;
}

const RegisterOp var_mean_row(op_row("var_mean", "reduce", draw_var_mean, Trait::Reduces));
const RegisterOp std_mean_row(op_row("std_mean", "reduce", draw_std_mean, Trait::Reduces));

}  // namespace

std::tuple<Tensor, Tensor> detail::var_mean_corrected(const Tensor& self, IntArrayRef dim,
                                                      double correction, bool keepdim, At at) {
  const Operation op("var_mean", at);
  const auto [dims, over] = variance_over(op, self, dim, correction, keepdim);
  return std::tuple_cat(record(
      kVarMeanDerivative, op,
      PerResult<2>{raw_var(op, self, dims, over.divisor), raw_mean(op, self, dims)}, over, self));
}

std::tuple<Tensor, Tensor> detail::std_mean_corrected(const Tensor& self, IntArrayRef dim,
                                                      double correction, bool keepdim, At at) {
  const Operation op("std_mean", at);
  const auto [dims, over] = variance_over(op, self, dim, correction, keepdim);
  return std::tuple_cat(record(
      kStdMeanDerivative, op,
      PerResult<2>{raw_std(op, self, dims, over.divisor), raw_mean(op, self, dims)}, over, self));
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& self, At at) {
  return var_mean(self, IntArrayRef(), true, false, at);
}
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, IntArrayRef dim, bool unbiased,
                                    bool keepdim, At at) {
  return detail::var_mean_corrected(self, dim, unbiased ? 1 : 0, keepdim, at);
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& self, At at) {
  return std_mean(self, IntArrayRef(), true, false, at);
}
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, IntArrayRef dim, bool unbiased,
                                    bool keepdim, At at) {
  return detail::std_mean_corrected(self, dim, unbiased ? 1 : 0, keepdim, at);
}

}  // namespace notape
