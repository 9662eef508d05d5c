// binary_cross_entropy(x, t) = -t max(log(x), -100) - (1 - t) max(log(1 - x), -100), times the
// weight;  d/dx = (x - t) / max(x (1 - x), 1e-12),  d/dt = max(log(1 - x), -100) - max(log(x),
// -100).
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce/reduction.h"
#include "ops/selection.h"
#include "ops/transcendental.h"
#endif

namespace notape {
namespace {

struct BinaryCrossEntropy {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x, T target) const {
    const T bound = T(-100);
    return (target - T(1)) * math::max(math::log1p(-x), bound) -
           target * math::max(math::log(x), bound);
  }
};
const ElementwiseKernel<BinaryCrossEntropy, 2> value_kernel("binary_cross_entropy");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kDerivative =
    derivative("BinaryCrossEntropyBackward0",
               elementwise([](const Tensor& grad, const Input<0>& x, const Input<1>& target) {
                 return grad * ((x - target) / clamp_min(x * (1 - x), 1e-12));
               }),
               elementwise([](const Tensor& grad, const Input<0>& x) {
                 return grad * (clamp_min(log1p(-x), -100) - clamp_min(log(x), -100));
               }))
        .with_arguments<"self", "target">();

/// On the CPU; elsewhere nobody looks, and numbers outside give NaN.
bool is_inside_unit_interval(const Tensor& x) {
  if (is_batched(x)) return is_inside_unit_interval(peel(x, levels_of(x).back()));
  if (!x.device().is_cpu()) return true;
  const Tensor values = raw_contiguous(raw_convert(x, computed_in(x.dtype())));
  return visit_floating(values.dtype(), [&]<typename T>() {
    const T* value = values.impl().data_as<T>();
    bool inside = true;
    for (int64_t i = 0; i < values.numel(); ++i) inside &= value[i] >= 0 && value[i] <= 1;
    return inside;
  });
}

void check_arguments(const Operation& op, const Tensor& input, const Tensor& target,
                     const Tensor& weight) {
  check_operands(op, {&input, &target});
  require_floating(op, input);
  if (!target.is_floating_point())
    op.fail<DtypeError>("target: expected a floating dtype but found {}", name_of(target.dtype()));
  if (!(input.sizes() == target.sizes()))
    op.fail<ShapeError>(
        "Using a target size ({}) that is different to the input size ({}) is deprecated. Please "
        "ensure they have the same size.",
        to_string(target.sizes()), to_string(input.sizes()));
  check_same_type(op, input, target);
  if (weight.defined()) check_broadcast(op, {&input, &weight});
  if (!is_inside_unit_interval(input))
    op.fail<ValueError>("all elements of input should be between 0 and 1");
}

OpCase draw_case(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto sizes = draw_terms(draw, reduction);
  std::vector<Argument> arguments = {{.sizes = sizes, .domain = {.low = 0.01, .high = 0.99}},
                                     {.sizes = sizes, .domain = {.low = 0, .high = 1}}};
  if (draw.boolean()) arguments.push_back({.sizes = draw.broadcast_of(sizes)});
  return terms_case(
      reduction, std::move(arguments),
      [](const variable_list& x, Reduction how) {
        return binary_cross_entropy(x[0], x[1], x.size() > 2 ? x[2] : Tensor(), how);
      },
      []<typename T>(const PlainList<T>& x) {
        const PlainTensor<T> terms = plain_map(
            [](T a, T t) { return (t - 1) * math::log1p(-a) - t * math::log(a); }, x[0], x[1]);
        return x.size() > 2 ? plain_map([](T a, T w) { return a * w; }, terms, x[2]) : terms;
      });
}

const RegisterOp row({.name = "binary_cross_entropy",
                      .family = "loss",
                      .draw = draw_case,
                      .traits = Trait::Accumulates | Trait::Averages});

}  // namespace

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            Reduction reduction, At at) {
  const Operation op("binary_cross_entropy", at);
  check_arguments(op, input, target, weight);
  const Composite composite({&input, &target, &weight});
  const Promoted x = promoted({input, target, weight}, at);
  const Tensor terms = binary(value_kernel, kDerivative, op, x[0], x[1]);
  return reduced_terms(weight.defined() ? mul(terms, x[2], at) : terms, reduction, x.type, at);
}
#endif

}  // namespace notape
