// binary_cross_entropy(x, t) = -t max(log(x), -100) - (1 - t) max(log(1 - x), -100), times the
// weight;  d/dx = (x - t) / max(x (1 - x), 1e-12),  d/dt = max(log(1 - x), -100) - max(log(x),
// -100). Higher orders, with r(y) = 1 / max(y, 1e-12) and r' = -r^2 everywhere:  d2/dx2 =
// t r(x)^2 + (1 - t) r(1 - x)^2,  d2/dxdt = -r(x (1 - x)). The quotient's own derivative would be
// 1e12 where x = t = 1.
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"
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
const ElementwiseKernel<BinaryCrossEntropy, 2> binary_cross_entropy_kernel("binary_cross_entropy");

struct Slope {
  template <typename T>
  NOTAPE_HD T operator()(T x, T target) const {
    return (x - target) / math::max(x * (T(1) - x), T(1e-12));
  }
};
const ElementwiseKernel<Slope, 2> slope_kernel("binary_cross_entropy_slope");

struct TargetSlope {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T bound = T(-100);
    return math::max(math::log1p(-x), bound) - math::max(math::log(x), bound);
  }
};
const ElementwiseKernel<TargetSlope> target_slope_kernel("binary_cross_entropy_target_slope");

struct GuardedReciprocal {
  template <typename T>
  NOTAPE_HD T operator()(T y) const {
    return T(1) / math::max(y, T(1e-12));
  }
};
const ElementwiseKernel<GuardedReciprocal> reciprocal_kernel("binary_cross_entropy_reciprocal");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kReciprocalDerivative = derivative(
    "BinaryCrossEntropyReciprocalBackward0",
    elementwise([](const Tensor& grad, const Output& r) { return -(grad * square(r)); }));

/// r(y)
Tensor guarded_reciprocal(const Tensor& y) {
  return unary(reciprocal_kernel, kReciprocalDerivative,
               {"binary_cross_entropy_backward", At::current()}, y);
}

/// Of d/dx by t, and of d/dt by x.
constexpr auto kMixed = elementwise([](const Tensor& grad, const Input<0>& x) {
  return -(grad * guarded_reciprocal(x * (1 - x)));
});
constexpr auto kSlopeDerivative =
    derivative("BinaryCrossEntropySlopeBackward0",
               elementwise([](const Tensor& grad, const Input<0>& x, const Input<1>& target) {
                 return grad * (target * square(guarded_reciprocal(x)) +
                                (1 - target) * square(guarded_reciprocal(1 - x)));
               }),
               kMixed);
constexpr auto kTargetSlopeDerivative =
    derivative("BinaryCrossEntropyTargetSlopeBackward0", kMixed);

/// d/dx
Tensor slope(const Tensor& x, const Tensor& target) {
  return binary(slope_kernel, kSlopeDerivative, {"binary_cross_entropy_backward", At::current()}, x,
                target);
}

/// d/dt
Tensor target_slope(const Tensor& x) {
  return unary(target_slope_kernel, kTargetSlopeDerivative,
               {"binary_cross_entropy_backward", At::current()}, x);
}

constexpr auto kBinaryCrossEntropyDerivative =
    derivative(
        "BinaryCrossEntropyBackward0",
        elementwise([](const Tensor& grad, const Input<0>& x, const Input<1>& target) {
          return grad * slope(x, target);
        }),
        elementwise([](const Tensor& grad, const Input<0>& x) { return grad * target_slope(x); }))
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

void check_binary_cross_entropy_arguments(const Operation& op, const Tensor& input,
                                          const Tensor& target, const Tensor& weight) {
  check_operands(op, {&input, &target});
  require_floating(op, input);
  if (!target.is_floating_point())
    op.fail<DtypeError>("target: expected a floating dtype but found {}", name_of(target.dtype()));
  check_same_type(op, input, target);
  if (weight.defined()) check_broadcast_to(op, input, {&weight});
  if (!is_inside_unit_interval(input))
    op.fail<ValueError>("all elements of input should be between 0 and 1");
}

/// As LibTorch: beside the input, dimensions of size 1 do not count.
Tensor shaped_like_input(const Operation& op, const Tensor& target, const Tensor& input) {
  if (target.sizes() == input.sizes()) return target;
  std::vector<int64_t> expected = input.sizes().vec();
  std::erase(expected, 1);
  const Tensor given = squeeze(target, op.at);
  if (!broadcasts_to(given.sizes(), expected))
    op.fail<ShapeError>(
        "Using a target size ({}) that is different to the input size ({}). Please ensure they "
        "have the same size.",
        to_string(target.sizes()), to_string(input.sizes()));
  return reshape(expand(given, expected, op.at), input.sizes(), op.at);
}

OpCase draw_binary_cross_entropy(Draw& draw) {
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

const RegisterOp binary_cross_entropy_row(op_row("binary_cross_entropy", "loss",
                                                 draw_binary_cross_entropy,
                                                 Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            Reduction reduction, At at) {
  const Operation op("binary_cross_entropy", at);
  check_binary_cross_entropy_arguments(op, input, target, weight);
  const Composite composite({&input, &target, &weight});
  const Promoted x = promoted({input, shaped_like_input(op, target, input), weight}, at);
  const Tensor terms =
      binary(binary_cross_entropy_kernel, kBinaryCrossEntropyDerivative, op, x[0], x[1]);
  return reduced_terms(weight.defined() ? mul(terms, x[2], at) : terms, reduction, x.type, at);
}
#endif

}  // namespace notape
