// mse_loss(x, y) = (x - y)^2, broadcast, and its mean or sum; d/dx = 2 (x - y) = -d/dy.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/warning.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#endif

namespace notape {
namespace {

struct SquaredDifference {
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return (a - b) * (a - b);
  }
};
const ElementwiseKernel<SquaredDifference, 2> mse_loss_kernel("mse_loss");

}  // namespace

#ifndef __CUDACC__
namespace {

struct MseLoss {
  Reduction reduction;
  double scale;  // of one term's derivative: 2, or 2 / n for a mean
};

/// a - b, also where one of them is bool, of which there is no difference.
Tensor difference(const Tensor& a, const Tensor& b) {
  const auto number = [](const Tensor& t) { return t.dtype() == kBool ? t.to(kInt64) : t; };
  return number(a) - number(b);
}

constexpr auto kMseLossDerivative = derivative(
    "MseLossBackward0",
    rule(
        [](const Tensor& grad, const Input<0>& input, const Input<1>& target, const MseLoss& p) {
          return difference(input, target) * (grad * p.scale);
        },
        [](const Tensor& tangent, const Input<0>& input, const Input<1>& target, const MseLoss& p) {
          const Tensor terms = difference(input, target) * tangent * p.scale;
          return p.reduction == Reduction::None ? terms : sum(terms);
        }),
    rule(
        [](const Tensor& grad, const Input<0>& input, const Input<1>& target, const MseLoss& p) {
          return difference(target, input) * (grad * p.scale);
        },
        [](const Tensor& tangent, const Input<0>& input, const Input<1>& target, const MseLoss& p) {
          const Tensor terms = difference(target, input) * tangent * p.scale;
          return p.reduction == Reduction::None ? terms : sum(terms);
        }));

OpCase draw_mse_loss(Draw& draw) {
  const auto full = draw.shape(0, 4, 1);
  const Reduction reduction = draw_reduction(draw);
  return terms_case(
      reduction, {{.sizes = draw.broadcast_of(full)}, {.sizes = draw.broadcast_of(full)}},
      [](const variable_list& x, Reduction how) { return mse_loss(x[0], x[1], how); },
      []<typename T>(const PlainList<T>& x) { return plain_map(SquaredDifference(), x[0], x[1]); });
}

const RegisterOp mse_loss_row(op_row("mse_loss", "loss", draw_mse_loss,
                                     Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction, At at) {
  const Operation op("mse_loss", at);
  const Tensor terms = compute(op, mse_loss_kernel, {}, input, target);
  if (!(input.sizes() == target.sizes())) [[unlikely]]
    warn_once("mse_loss of different sizes",
              format_message("Using a target size ({}) that is different to the input size ({}). "
                             "This will likely lead to incorrect results due to broadcasting. "
                             "Please ensure they have the same size.",
                             {to_string(target.sizes()), to_string(input.sizes())}),
              at);
  const ReducedDims all = reduced_dims(op, terms, {}, false);
  MseLoss parameters{reduction, 2};
  if (reduction == Reduction::Mean) parameters.scale /= static_cast<double>(all.count);
  Tensor result = reduction == Reduction::None  ? terms
                  : reduction == Reduction::Sum ? raw_sum(op, terms, all)
                                                : raw_mean(op, terms, all);
  return record(kMseLossDerivative, op, std::move(result), parameters, input, target);
}
#endif

}  // namespace notape
