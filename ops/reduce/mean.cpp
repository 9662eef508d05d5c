// mean(x, dims): the sum over some dimensions divided by the number n of elements in it; its
// derivative spreads grad / n over them. Nothing to average gives NaN.
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

struct MeanOver {
  Sizes dim;
  bool keepdim;
  double count;
};

constexpr auto kMeanDerivative = derivative(
    "MeanBackward1",
    movement(
        [](const Tensor& grad, const Meta<0>& self, const MeanOver& p) {
          return spread(grad / p.count, self.sizes(), p.dim, p.keepdim);
        },
        [](const Tensor& tangent, const MeanOver& p) { return mean(tangent, p.dim, p.keepdim); }));

constexpr auto mean_of = []<typename T>(const std::vector<T>& group) {
  T sum = 0;
  for (T value : group) sum += value;
  return sum / static_cast<T>(group.size());
};

OpCase draw_mean(Draw& draw) {
  return reduction_case(
      draw, {.call = [](const Tensor& x,
                        const DrawnReduction& how) { return mean(x, how.dim, how.keepdim); },
             .of_group = mean_of,
             .over = ReductionCase::Over::AllOrSeveralDims,
             .smallest = 1,
             .averages = true});
}

const RegisterOp mean_row(op_row("mean", "reduce", draw_mean, Trait::Reduces | Trait::Averages));

}  // namespace

Tensor mean(const Tensor& self, At at) { return mean(self, IntArrayRef(), false, at); }

Tensor mean(const Tensor& self, IntArrayRef dim, bool keepdim, At at) {
  const Operation op("mean", at);
  check_operands(op, {&self});
  const ReducedDims dims = reduced_dims(op, self, dim, keepdim);
  return record(kMeanDerivative, op, raw_mean(op, self, dims),
                MeanOver{{dim.vec()}, keepdim, static_cast<double>(dims.count)}, self);
}

Tensor ReduceMembers::mean(At at) const { return notape::mean(self(), at); }
Tensor ReduceMembers::mean(IntArrayRef dim, bool keepdim, At at) const {
  return notape::mean(self(), dim, keepdim, at);
}

}  // namespace notape
