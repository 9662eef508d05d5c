// gelu(x) = x Phi(x),  d/dx = Phi(x) + x phi(x), of the normal distribution; with approximate
// "tanh" x sigmoid(v), v = 2 sqrt(2 / pi) (x + 0.044715 x^3)
#include "ops/activation/activation.h"
#include "ops/core/normal_tail.h"
#include "ops/core/product_error.h"
#include "ops/elementwise/wide_loop.h"
#include "ops/spec/accuracy.h"
#ifndef __CUDACC__
#include "ops/elementwise/erf_slope.h"
#endif

namespace notape {
namespace {

struct GeluNumbers {
  Number half = {0.5, 0}, root_of_half = {0.70710678118654752440, 0};
  Number density_at_0 = {0.39894228040143267794, 0};  // 1 / sqrt(2 pi)
};
struct Gelu : GeluNumbers {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return half.as<T>() * x * math::erfc(-x * root_of_half.as<T>());
  }
  static float of_float(float x) {
    const float tail = normal_tail(x);  // of NaN, which stays one by the product, is a number
    return x * (x < 0.0f ? tail : 1.0f - tail);
  }
};
/// What is multiplied for large -x is known to the last places: x phi(x).
struct GeluSlope : GeluNumbers {
  using Loop = WideLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T h = half.as<T>(), square = x * x;
    const T power = math::corrected_exponential(math::exp(-h * square), square,
                                                -h * math::product_error(x, x, square));
    const T density = density_at_0.as<T>() * power;
    const T share = h * math::erfc(-x * root_of_half.as<T>());
    return share + math::select(power > T(0), x * density, T(0));
  }
  float of_float(float x) const {
    const NormalDensity at(x);
    const float tail = at.power * scaled_normal_tail(at.size);
    const float rest = at.size * (density_at_0.single * at.power);
    return x < 0.0f ? tail - rest : (1.0f - tail) + rest;
  }
};
struct GeluTanhNumbers {
  Number factor = {1.59576912160573071176, 1}, cubic = {0.044715, 0};
};
struct GeluTanh : GeluTanhNumbers {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T v = factor.as<T>() * (x + cubic.as<T>() * x * x * x), e = math::exp(-math::abs(v));
    return x * math::select(v < T(0), e, T(1)) / (T(1) + e);
  }
};
struct GeluTanhSlope : GeluTanhNumbers {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T c = cubic.as<T>(), v = factor.as<T>() * (x + c * x * x * x);
    const T e = math::exp(-math::abs(v)), share = math::select(v < T(0), e, T(1)) / (T(1) + e);
    const T rise = factor.as<T>() * (T(1) + T(3) * c * x * x);
    const T rest = math::select(e > T(0), x * (e / ((T(1) + e) * (T(1) + e))) * rise, T(0));
    return share + rest;
  }
};
const ElementwiseKernel<Gelu> gelu_kernel("gelu");
const ElementwiseKernel<GeluSlope> gelu_slope_kernel("gelu.slope");
const ElementwiseKernel<GeluTanh> tanh_kernel("gelu.tanh");
const ElementwiseKernel<GeluTanhSlope> tanh_slope_kernel("gelu.tanh_slope");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kGeluSlope =
    derivative("GeluBackwardBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const GeluSlope& f) {
                 // phi(x) (2 - x^2)
                 const Tensor density = erf_slope(self * f.root_of_half.real) * 0.35355339059327376;
                 return grad * (density * 2 - density * self * self);
               }));
constexpr auto kTanhSlope = derivative(
    "GeluBackwardBackward0",
    elementwise([](const Tensor& grad, const Input<0>& self, const GeluTanhSlope& f) {
      const double k = f.factor.real, c = f.cubic.real;
      const Tensor x = self, v = (x + c * pow(x, 3)) * k, s = sigmoid(v);
      const Tensor rise = (square(x) * (3 * c) + 1) * k, bend = s * sigmoid(-v);
      const Tensor second = bend * (rise * 2 + x * ((1 - 2 * s) * square(rise) + x * (6 * c * k)));
      return where(abs(x) < 64, grad * second, 0);  // 0, and terms overflow
    }));

Tensor gelu_slope(const Tensor& self, bool by_tanh) {
  const Operation op("gelu_backward", At::current());
  return by_tanh ? unary(tanh_slope_kernel, kTanhSlope, op, self, {}, GeluTanhSlope())
                 : unary(gelu_slope_kernel, kGeluSlope, op, self, {}, GeluSlope());
}

struct Approximate {
  bool by_tanh;
};
constexpr auto kGeluDerivative =
    derivative("GeluBackward0",
               elementwise([](const Tensor& grad, const Input<0>& self, const Approximate& p) {
                 return grad * gelu_slope(self, p.by_tanh);
               }));

Approximate checked(const Operation& op, const Tensor& self, std::string_view approximate) {
  check_floating_operand(op, self);
  if (approximate != "none" && approximate != "tanh")
    op.fail<ValueError>("approximate argument must be either none or tanh, but got {}",
                        approximate);
  return {approximate == "tanh"};
}

OpCase draw_gelu(Draw& draw) {
  const char* approximate = draw.boolean() ? "tanh" : "none";
  const Domain domain = near_or_far(draw, {.low = -4, .high = 4}, Domain{.low = -9, .high = 9});
  OpCase one = activation_case(
      draw, approximate, domain, [=](const Tensor& x) { return gelu(x, approximate); },
      [=](Tensor& x) { gelu_(x, approximate); }, Gelu());
  if (approximate[0] == 't') one.reference = elementwise_reference(GeluTanh());
  return one;
}

const RegisterOp gelu_row(op_row("gelu", "elementwise", draw_gelu));
const RegisterWithoutTails gelu_tails(
    {.row = "gelu", .reason = "has terms that cancel around its minimum, near x = -0.75"});
const RegisterAccuracy gelu_accuracy(
    {.row = "gelu",
     .value = 250,
     .reason = "rounds exponents of up to 100 in mode tanh; in mode none it is within 9"});

}  // namespace

Tensor gelu(const Tensor& self, std::string_view approximate, At at) {
  const Operation op("gelu", at);
  const Approximate p = checked(op, self, approximate);
  return p.by_tanh ? unary(tanh_kernel, kGeluDerivative, op, self, {}, p)
                   : unary(gelu_kernel, kGeluDerivative, op, self, {}, p);
}
Tensor& gelu_(Tensor& self, std::string_view approximate, At at) {
  const Operation op("gelu_", at);
  const Approximate p = checked(op, self, approximate);
  return p.by_tanh ? unary_(tanh_kernel, kGeluDerivative, op, self, {}, p)
                   : unary_(gelu_kernel, kGeluDerivative, op, self, {}, p);
}
#endif

}  // namespace notape
