// cummax(x, dim): {values, indices} of the largest so far, of equal ones the last; gradients add up
// where the values came from.
#include "autograd/tensor/factories.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/running.h"

namespace notape {
namespace {

constexpr auto kCummaxDerivative = picked_derivative("CummaxBackward0");

constexpr auto plain_cummax = []<typename T>(const std::vector<T>& slice) {
  std::vector<T> result;
  for (const T& value : slice)
    result.push_back(result.empty() || value > result.back() ? value : result.back());
  return result;
};

OpCase draw_cummax(Draw& draw) {
  OpCase one = slice_case(
      draw, [](const Tensor& x, int64_t dim) { return std::get<0>(cummax(x, dim)); }, plain_cummax);
  one.arguments[0].distinct = true;
  return one;
}

const RegisterOp cummax_row({.name = "cummax",
                             .family = "reduce",
                             .draw = draw_cummax,
                             .traits = Trait::Scans | Trait::Accumulates});

}  // namespace

std::tuple<Tensor, Tensor> cummax(const Tensor& self, Integer dim, At at) {
  const Operation op("cummax", at);
  check_operands(op, {&self});
  const AlongOneDim along{wrap_dim(op, dim, self.dim())};
  return std::tuple_cat(record(kCummaxDerivative, op,
                               raw_running_extremes(op, self, along.dim, Extreme::Largest), along,
                               self));
}

std::tuple<Tensor, Tensor> ReduceMembers::cummax(Integer dim, At at) const {
  return notape::cummax(self(), dim, at);
}

}  // namespace notape
