// cummin(x, dim): {values, indices} of the smallest so far, of equal ones the last; gradients add
// up where the values came from.
#include "autograd/tensor/factories.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/reduce/running.h"

namespace notape {
namespace {

constexpr auto kCumminDerivative = picked_derivative("CumminBackward0");

constexpr auto plain_cummin = []<typename T>(const std::vector<T>& slice) {
  std::vector<T> result;
  for (const T& value : slice)
    result.push_back(result.empty() || value < result.back() ? value : result.back());
  return result;
};

OpCase draw_cummin(Draw& draw) {
  OpCase one = slice_case(
      draw, [](const Tensor& x, int64_t dim) { return std::get<0>(cummin(x, dim)); }, plain_cummin);
  one.arguments[0].distinct = true;
  return one;
}

const RegisterOp cummin_row({.name = "cummin",
                             .family = "reduce",
                             .draw = draw_cummin,
                             .traits = Trait::Scans | Trait::Accumulates});

}  // namespace

std::tuple<Tensor, Tensor> cummin(const Tensor& self, Integer dim, At at) {
  const Operation op("cummin", at);
  check_operands(op, {&self});
  const AlongOneDim along{wrap_dim(op, dim, self.dim())};
  return std::tuple_cat(record(kCumminDerivative, op,
                               raw_running_extremes(op, self, along.dim, Extreme::Smallest), along,
                               self));
}

std::tuple<Tensor, Tensor> ReduceMembers::cummin(Integer dim, At at) const {
  return notape::cummin(self(), dim, at);
}

}  // namespace notape
