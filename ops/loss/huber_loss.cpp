// huber_loss(x, y) with z = x - y: z^2 / 2 where |z| < delta, else delta (|z| - delta / 2);
// d/dx = clamp(z, -delta, delta) = -d/dy.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/huber.h"
#include "ops/loss/terms.h"
#include "ops/selection.h"
#endif

namespace notape {
namespace {

struct HuberCurve {
  Number delta, scale;
  template <typename T>
  NOTAPE_HD T operator()(T z) const {
    const T size = math::abs(z), bound = delta.as<T>();
    // One product less than z^2 scale: at the ends of a type's numbers both factors may be small.
    return size < bound ? T(0.5) * size * (size * scale.as<T>())
                        : bound * scale.as<T>() * (size - T(0.5) * bound);
  }
};
const ElementwiseKernel<HuberCurve> huber_loss_kernel("huber_loss");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kHuberLossDerivative =
    derivative("HuberLossBackward0",
               elementwise([](const Tensor& grad, const Input<0>& z, const HuberCurve& f) {
                 return grad * (clamp(z, -f.delta.real, f.delta.real) * f.scale.real);
               }));

OpCase draw_huber_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  const auto full = draw_terms(draw, reduction);
  const double delta = draw.real(0.5, 2);
  OpCase one = terms_case(
      reduction,
      // Targets lie near 0, so that the kinks of the difference are not far from these.
      {{.sizes = draw.broadcast_of(full),
        .domain = {.low = -4, .high = 4, .kinks = {-delta, delta}, .kink_distance = 0.25}},
       {.sizes = draw.broadcast_of(full), .domain = {.low = -0.2, .high = 0.2}}},
      [=](const variable_list& x, Reduction how) { return huber_loss(x[0], x[1], how, delta); },
      [=]<typename T>(const PlainList<T>& x) {
        return plain_map(
            [=](T a, T b) {
              const T z = math::abs(a - b), bound = T(delta);
              return z < bound ? z * z / 2 : bound * (z - bound / 2);
            },
            x[0], x[1]);
      });
  one.label += format_message(", delta={}", {delta});
  return one;
}

const RegisterOp huber_loss_row(op_row("huber_loss", "loss", draw_huber_loss,
                                       Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor huber_curve(const Operation& op, const Tensor& z, double delta, double scale) {
  const HuberCurve f{number(delta), number(scale)};
  return unary(huber_loss_kernel, kHuberLossDerivative, op, z, f, f);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction, double delta,
                  At at) {
  const Operation op("huber_loss", at);
  const Composite composite({&input, &target});
  if (!(delta > 0)) op.fail<ValueError>("expected delta greater than 0, but got {}", delta);
  check_broadcast(op, {&input, &target});
  const Promoted x = promoted({input, target}, at);
  return reduced_terms(huber_curve(op, sub(x[0], x[1], 1, at), delta, 1), reduction, x.type, at);
}
#endif

}  // namespace notape
