// cummax(x, dim), cummin(x, dim): {values, indices} of the largest or the smallest so far, of equal
// ones the last; gradients add up where the values came from.
#include "autograd/tensor/factories.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/running.h"

namespace notape {
namespace {

constexpr auto kCummaxDerivative = picked_derivative("CummaxBackward0");
constexpr auto kCumminDerivative = picked_derivative("CumminBackward0");

template <typename D>
std::tuple<Tensor, Tensor> running_extremes(const D& derivative, const Operation& op,
                                            const Tensor& self, int64_t dim, Extreme which) {
  check_operands(op, {&self});
  const AlongOneDim along{wrap_dim(op, dim, self.dim())};
  return std::tuple_cat(
      record(derivative, op, raw_running_extremes(op, self, along.dim, which), along, self));
}

template <Extreme kWhich>
OpCase draw_running_extreme(Draw& draw) {
  const auto call = [](const Tensor& x, int64_t dim) {
    return std::get<0>(kWhich == Extreme::Largest ? cummax(x, dim) : cummin(x, dim));
  };
  const auto plain = []<typename T>(const std::vector<T>& slice) {
    std::vector<T> result;
    for (const T& value : slice) {
      const bool is_next = result.empty() || (kWhich == Extreme::Largest ? value > result.back()
                                                                         : value < result.back());
      result.push_back(is_next ? value : result.back());
    }
    return result;
  };
  OpCase one = slice_case(draw, call, plain);
  one.arguments[0].distinct = true;
  return one;
}

const RegisterOp cummax_row(op_row("cummax", "reduce", draw_running_extreme<Extreme::Largest>,
                                   Trait::Scans | Trait::Accumulates));
const RegisterOp cummin_row(op_row("cummin", "reduce", draw_running_extreme<Extreme::Smallest>,
                                   Trait::Scans | Trait::Accumulates));

}  // namespace

std::tuple<Tensor, Tensor> cummax(const Tensor& self, Integer dim, At at) {
  return running_extremes(kCummaxDerivative, {"cummax", at}, self, dim, Extreme::Largest);
}
std::tuple<Tensor, Tensor> cummin(const Tensor& self, Integer dim, At at) {
  return running_extremes(kCumminDerivative, {"cummin", at}, self, dim, Extreme::Smallest);
}

std::tuple<Tensor, Tensor> ReduceMembers::cummax(Integer dim, At at) const {
  return notape::cummax(self(), dim, at);
}
std::tuple<Tensor, Tensor> ReduceMembers::cummin(Integer dim, At at) const {
  return notape::cummin(self(), dim, at);
}

}  // namespace notape
