// pow(a, b) = a^b,  d/da = b a^(b-1),  d/db = a^b log(a). Derivatives of every order are one family
// of functions (power.h), exact where the usual formula is 0 * inf: a^0 has derivative 0
// everywhere.
#include "ops/elementwise/operator.h"
#include "ops/elementwise/power.h"
#include "ops/elementwise/power_loop.h"

namespace notape {
namespace {

struct Pow {
  using Loop = PowerLoop;
  static constexpr TypeSet types = kNumberTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return math::integer_power(a, static_cast<int64_t>(b));
    else
      return math::real_power(a, b);
  }
  static bool is_simple(float a, float b) {
    return math::every(math::is_simple_base(a), math::is_finite(b), !math::has_own_formula(b));
  }
  void visit_simple(const auto& visit) const {
    visit([](float a, float b) { return static_cast<float>(power_in_double(a, b)); });
  }
};
struct PowDerivative {
  using Loop = PowerLoop;
  int da, db;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return math::power_derivative(a, b, da, db);
  }
  bool is_simple(float a, float b) const {
    return math::every(math::is_simple_base(a), math::is_finite(b), da + db == 1);
  }
  void visit_simple(const auto& visit) const {
    if (da == 1)
      visit([](double a, double b) { return static_cast<float>(b * power_in_double(a, b - 1)); });
    else
      visit([](double a, double b) {
        return static_cast<float>(math::log_in_double(a) * power_in_double(a, b));
      });
  }
};
/// x^exponent, differentiated `order` times: factor * x^(exponent - order).
struct PowNumber {
  using Loop = PowerLoop;
  static constexpr TypeSet types = kNumberTypes;
  Number exponent, factor = {1, 1};
  int order = 0;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return math::integer_power(x, exponent.whole);
    } else if constexpr (requires { typename T::value_type; }) {
      return of<typename T::value_type>(x);
    } else {
      return of<T>(x);
    }
  }
  bool is_simple(float x) const {
    const bool has_formula = math::has_own_formula(exponent.single);
    return math::every(math::is_simple_base(x), math::is_finite(exponent.single),
                       math::is_finite(factor.single), !math::every(order == 0, has_formula));
  }
  void visit_simple(const auto& visit) const {
    const double p = static_cast<double>(exponent.single) - order;
    const double positive = order == 0 ? 1 : factor.single;
    const double negative = positive * power_in_double(-1, p);
    visit([=](double x) {
      const double power = exp2_in_double(p * log2_in_double(std::fabs(x)));
      return static_cast<float>(power * (x < 0 ? negative : positive));
    });
  }

 private:
  /// x is one number of type T, or several.
  template <typename T, typename X>
  NOTAPE_HD X of(X x) const {
    const T p = exponent.as<T>();
    if (order == 0) return math::real_power(x, p);
    const T steps = static_cast<T>(order), left = p - steps;
    return math::scaled_power(factor.as<T>(), x, left, math::difference_error(p, steps, left));
  }
};
/// The same for the exponents 2 and 3, as a loop that vectorises.
template <int Exponent>
struct PowFixed {
  static constexpr TypeSet types = kFloatTypes;
  Number factor;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    return factor.as<T>() * (Exponent == 2 ? x * x : x * x * x);
  }
};
/// base^x log(base)^order
struct NumberPow {
  using Loop = PowerLoop;
  static constexpr TypeSet types = kNumberTypes;
  Number base;
  int order = 0;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return math::integer_power(base.as<T>(), static_cast<int64_t>(x));
    else
      return order == 0 ? math::real_power(base.as<T>(), x)
                        : math::power_derivative(base.as<T>(), x, 0, order);
  }
  bool is_simple(float x) const {
    return math::every(math::is_simple_base(base.single), math::is_finite(x),
                       !math::every(order == 0, math::has_own_formula(x)), order <= 1);
  }
  void visit_simple(const auto& visit) const {
    const double b = base.single, factor = order == 0 ? 1 : math::log_in_double(b);
    visit([=](double x) { return static_cast<float>(power_in_double(b, x) * factor); });
  }
};
const ElementwiseKernel<Pow, 2> pow_kernel("pow");
const ElementwiseKernel<PowDerivative, 2> derivative_kernel("pow.derivative");
const ElementwiseKernel<PowNumber> exponent_kernel("pow.exponent");
const ElementwiseKernel<PowFixed<2>> pow_square_kernel("pow.square");
const ElementwiseKernel<PowFixed<3>> cube_kernel("pow.cube");
const ElementwiseKernel<NumberPow> base_kernel("pow.base");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor pow_derivative(const Tensor& self, const Tensor& exponent, int da, int db);
/// `type` takes part in promotion.
Tensor pow_number(const Operation& op, const Tensor& self, Scalar type, const PowNumber& f);
Tensor number_pow(const Operation& op, const Tensor& exponent, Scalar type, const NumberPow& f);

constexpr auto kPowDerivative =
    derivative("PowDerivativeBackward",
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& exponent,
                              const PowDerivative& f) {
                 return grad * pow_derivative(self, exponent, f.da + 1, f.db);
               }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& exponent,
                              const PowDerivative& f) {
                 return grad * pow_derivative(self, exponent, f.da, f.db + 1);
               }));
constexpr auto kPow =
    derivative("PowBackward1",
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& exponent) {
                 return grad * pow_derivative(self, exponent, 1, 0);
               }),
               elementwise([](const Tensor& grad, const Input<0>& self, const Input<1>& exponent) {
                 return grad * pow_derivative(self, exponent, 0, 1);
               }));
constexpr auto kPowNumber = derivative(
    "PowBackward0", elementwise([](const Tensor& grad, const Input<0>& self, const PowNumber& f) {
      const double left = f.exponent.real - f.order, factor = f.factor.real * left;
      if (factor == 0 || left == 1) return grad * factor;
      if (left == 2) return grad * (self * factor);
      return grad * pow_number({"pow_backward", At::current()}, self, factor,
                               {f.exponent, number(factor), f.order + 1});
    }));
constexpr auto kNumberPow =
    derivative("PowBackward2",
               elementwise([](const Tensor& grad, const Input<0>& exponent, const NumberPow& f) {
                 return grad * number_pow({"pow_backward", At::current()}, exponent, f.base.real,
                                          {f.base, f.order + 1});
               }));

Tensor pow_derivative(const Tensor& self, const Tensor& exponent, int da, int db) {
  const Operation op("pow_backward", At::current());
  if (db > math::kMaxPowerLogs)
    op.fail<DerivativeNotImplemented>("derivatives by the exponent end at order {}",
                                      math::kMaxPowerLogs);
  const PowDerivative f{da, db};
  return binary(derivative_kernel, kPowDerivative, op, self, exponent, f, f);
}

void check_exponent(const Operation& op, const Tensor& self, Scalar exponent) {
  check_operand(op, self);
  if (!is_floating_point(result_type(self, exponent)) && exponent.to_int() < 0)
    op.fail<ValueError>("Integers to negative integer powers are not allowed.");
}

Tensor pow_number(const Operation& op, const Tensor& self, Scalar type, const PowNumber& f) {
  const double exponent = f.exponent.real - f.order;
  if ((exponent == 2 || exponent == 3) && self.is_floating_point()) {
    return record(kPowNumber, op,
                  exponent == 2 ? compute(op, pow_square_kernel, {f.factor}, self)
                                : compute(op, cube_kernel, {f.factor}, self),
                  f, self);
  }
  return unary_number(exponent_kernel, kPowNumber, op, self, type, f);
}

Tensor number_pow(const Operation& op, const Tensor& exponent, Scalar type, const NumberPow& f) {
  if (f.order > math::kMaxPowerLogs)
    op.fail<DerivativeNotImplemented>("derivatives by the exponent end at order {}",
                                      math::kMaxPowerLogs);
  return unary_number(base_kernel, kNumberPow, op, exponent, type, f);
}

OpCase exponent_case(Draw& draw) {
  constexpr double exponents[] = {2,    3,    1,     0,       -1, -2,    0.5,
                                  -0.5, 1.75, -2.25, 0x1p-10, 97, -41.5, 0.4375};
  const double exponent = exponents[draw.integer(0, 13)];
  const bool entire = exponent >= 0 && exponent == static_cast<int>(exponent);
  // The fifth derivative is in range there.
  const double reach = std::min(20.0, 80 / (std::abs(exponent) + 5));
  const Domain far{.low = std::exp2(-reach), .high = std::exp2(reach)};
  const double high = std::min(3.0, far.high), low = std::max(0.2, far.low);
  OpCase one;
  one.label = format_message("exponent={}", {exponent});
  one.arguments = {{.sizes = draw.shape(0, 4),
                    .domain = near_or_far(draw, {.low = entire ? -high : low, .high = high}, far)}};
  one.call = [=](const variable_list& x) { return pow(x[0], exponent); };
  one.call_in_place = [=](variable_list& x) { pow_(x[0], exponent); };
  one.reference = elementwise_reference([=]<typename T>(T a) { return math::pow(a, T(exponent)); });
  return one;
}
OpCase base_case(Draw& draw) {
  const double base = draw.real(0.5, 3);
  OpCase one;
  one.label = format_message("base={}", {base});
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call = [=](const variable_list& x) { return pow(base, x[0]); };
  one.reference = elementwise_reference([=]<typename T>(T b) { return math::pow(T(base), b); });
  return one;
}

const OpSpec tensors = binary_spec<Pow>("pow", pow, pow_,
                                        {.domain = {.low = 0.2, .high = 3},
                                         .far = Domain{.low = 0x1p-10, .high = 0x1p10},
                                         .far_other = Domain{.low = -7, .high = 7}});
const RegisterOp pow_row({.name = "pow", .family = "elementwise", .draw = [](Draw& draw) {
                            const int64_t form = draw.integer(0, 2);
                            return form == 0   ? tensors.draw(draw)
                                   : form == 1 ? exponent_case(draw)
                                               : base_case(draw);
                          }});

PowNumber power_of(Scalar exponent) { return {number(exponent)}; }

}  // namespace

Tensor pow(const Tensor& self, const Tensor& exponent, At at) {
  return binary(pow_kernel, kPow, {"pow", at}, self, exponent);
}
Tensor pow(const Tensor& self, Scalar exponent, At at) {
  const Operation op("pow", at);
  check_exponent(op, self, exponent);
  return pow_number(op, self, exponent, power_of(exponent));
}
Tensor pow(Scalar self, const Tensor& exponent, At at) {
  return number_pow({"pow", at}, exponent, self, {number(self)});
}
Tensor& pow_(Tensor& self, const Tensor& exponent, At at) {
  return binary_(pow_kernel, kPow, {"pow_", at}, self, exponent);
}
Tensor& pow_(Tensor& self, Scalar exponent, At at) {
  const Operation op("pow_", at);
  check_exponent(op, self, exponent);
  return unary_number_(exponent_kernel, kPowNumber, op, self, exponent, power_of(exponent));
}

Tensor ElementwiseMembers::pow(const Tensor& exponent, At at) const {
  return notape::pow(self(), exponent, at);
}
Tensor ElementwiseMembers::pow(Scalar exponent, At at) const {
  return notape::pow(self(), exponent, at);
}
Tensor& ElementwiseMembers::pow_(const Tensor& exponent, At at) const {
  return notape::pow_(self(), exponent, at);
}
Tensor& ElementwiseMembers::pow_(Scalar exponent, At at) const {
  return notape::pow_(self(), exponent, at);
}
#endif

}  // namespace notape
