// clamp(x, low, high) = min(max(x, low), high),  d/dx = 1 strictly between the bounds, else 0
#include <limits>

#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "ops/elementwise/clamp.h"
#include "ops/spec/row.h"
#endif

namespace notape {
namespace {

/// A bound, or none.
struct Bound {
  Number value;
  bool present = false;
};
struct Clamp {
  static constexpr TypeSet types = kNumberTypes;
  Bound low, high;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    const T raised = low.present ? math::max(x, low.value.as<T>()) : x;
    return high.present ? math::min(raised, high.value.as<T>()) : raised;
  }
};
/// The gradient where x, or equally the result, is strictly inside.
struct ClampGradient {
  Clamp clamp;
  template <typename T>
  NOTAPE_HD T operator()(T grad, T x) const {
    const bool above = !clamp.low.present | (x > clamp.low.value.as<T>());
    const bool below = !clamp.high.present | (x < clamp.high.value.as<T>());
    return (above & below) ? grad : T(0);
  }
};
const ElementwiseKernel<Clamp> clamp_kernel("clamp");
const ElementwiseKernel<ClampGradient, 2> clamp_gradient_kernel("clamp.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

using OptionalScalar = std::optional<Scalar>;

Tensor clamp_gradient(const Tensor& grad, const Tensor& x, const Clamp& f);

constexpr auto kClampGradient =
    derivative("ClampBackwardBackward0",
               selection([](const Tensor& grad, const Input<1>& x, const ClampGradient& f) {
                 return clamp_gradient(grad, x, f.clamp);
               }),
               not_differentiable);

constexpr auto reading_input(const char* name) {
  return derivative(name, selection([](const Tensor& grad, const Input<0>& self, const Clamp& f) {
                      return clamp_gradient(grad, self, f);
                    }));
}
constexpr auto kClamp = reading_input("ClampBackward1");
constexpr auto kClampMin = reading_input("ClampMinBackward0");
constexpr auto kClampMax = reading_input("ClampMaxBackward0");
constexpr auto kClampKeepingResult = derivative(
    "ClampBackward1", selection([](const Tensor& grad, const Output& result, const Clamp& f) {
      return clamp_gradient(grad, result, f);
    }));

Tensor clamp_gradient(const Tensor& grad, const Tensor& x, const Clamp& f) {
  const ClampGradient gradient{f};
  return binary(clamp_gradient_kernel, kClampGradient, {"clamp_backward", At::current()}, grad, x,
                gradient, gradient);
}

/// A bound beyond the range of the result's integers does not bound them, or asks for what there is
/// not.
OptionalScalar fitted(const Operation& op, ScalarType type, const OptionalScalar& value,
                      bool is_lower) {
  if (!value || !is_integral(type) || value->fits(type)) [[likely]]
    return value;
  const bool is_below = value->to_double() < 0;
  if (is_below != is_lower)
    op.fail<ValueError>("value cannot be converted to type {} without overflow", c_name_of(type));
  return visit_computed(type, [&]<typename T>() -> Scalar {
    return is_below ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  });
}
Bound bound(const OptionalScalar& value) { return value ? Bound{number(*value), true} : Bound{}; }
/// The bound that decides about promotion.
Scalar wider(const Operation& op, const OptionalScalar& low, const OptionalScalar& high) {
  if (!low && !high) op.fail<ValueError>("At least one of 'min' or 'max' must not be None");
  if (!low || !high) return low ? *low : *high;
  return low->type() < high->type() ? *high : *low;
}

struct Bounds {
  Clamp clamp;
  Scalar wider;
};
Bounds bounds_of(const Operation& op, const Tensor& self, const OptionalScalar& low,
                 const OptionalScalar& high) {
  check_operand(op, self);
  const ScalarType type = result_type(self, wider(op, low, high));
  const OptionalScalar least = fitted(op, type, low, true), most = fitted(op, type, high, false);
  return {{bound(least), bound(most)}, wider(op, least, most)};
}

/// `bounds`: 1 a lower one, 2 an upper one, 3 both.
template <typename Call, typename CallInPlace>
OpCase draw_clamp(Draw& draw, int64_t bounds, Call call, CallInPlace call_in_place) {
  const double a = draw.real(-2, 2), b = draw.real(-2, 2);
  const OptionalScalar low = bounds & 1 ? OptionalScalar(std::min(a, b)) : std::nullopt;
  const OptionalScalar high = bounds & 2 ? OptionalScalar(std::max(a, b)) : std::nullopt;
  OpCase one;
  Domain domain{.low = -3, .high = 3};
  for (const auto& [name, value] : {std::pair("min", low), std::pair("max", high)}) {
    if (!value) continue;
    domain.kinks.push_back(value->to_double());
    one.label +=
        format_message("{}{}={}", {one.label.empty() ? "" : ", ", name, value->to_double()});
  }
  one.arguments = {{.sizes = draw.shape(0, 4), .domain = domain}};
  one.call = [=](const variable_list& x) { return call(x[0], low, high); };
  one.call_in_place = [=](variable_list& x) { call_in_place(x[0], low, high); };
  one.reference = elementwise_reference(Clamp{bound(low), bound(high)});
  return one;
}
OpCase draw_clamp_both(Draw& draw) {
  return draw_clamp(
      draw, draw.integer(1, 3),
      [](const Tensor& x, OptionalScalar low, OptionalScalar high) { return clamp(x, low, high); },
      [](Tensor& x, OptionalScalar low, OptionalScalar high) { clamp_(x, low, high); });
}
OpCase draw_clamp_min(Draw& draw) {
  return draw_clamp(
      draw, 1,
      [](const Tensor& x, OptionalScalar low, OptionalScalar) { return clamp_min(x, *low); },
      [](Tensor& x, OptionalScalar low, OptionalScalar) { clamp_min_(x, *low); });
}
OpCase draw_clamp_max(Draw& draw) {
  return draw_clamp(
      draw, 2,
      [](const Tensor& x, OptionalScalar, OptionalScalar high) { return clamp_max(x, *high); },
      [](Tensor& x, OptionalScalar, OptionalScalar high) { clamp_max_(x, *high); });
}
const RegisterOp clamp_row(op_row("clamp", "elementwise", draw_clamp_both, Trait::Clamps));
const RegisterOp clamp_min_row(op_row("clamp_min", "elementwise", draw_clamp_min, Trait::Clamps));
const RegisterOp clamp_max_row(op_row("clamp_max", "elementwise", draw_clamp_max, Trait::Clamps));

}  // namespace

Tensor clamp(const Tensor& self, OptionalScalar min, OptionalScalar max, At at) {
  const Operation op("clamp", at);
  const Bounds by = bounds_of(op, self, min, max);
  return unary_number(clamp_kernel, kClamp, op, self, by.wider, by.clamp);
}
Tensor& clamp_(Tensor& self, OptionalScalar min, OptionalScalar max, At at) {
  const Operation op("clamp_", at);
  const Bounds by = bounds_of(op, self, min, max);
  return unary_number_(clamp_kernel, kClamp, op, self, by.wider, by.clamp);
}
Tensor& clamp_keeping_result_(const Operation& op, Tensor& self, OptionalScalar min,
                              OptionalScalar max) {
  const Bounds by = bounds_of(op, self, min, max);
  return unary_number_(clamp_kernel, kClampKeepingResult, op, self, by.wider, by.clamp);
}
Tensor clamp_min(const Tensor& self, Scalar min, At at) {
  const Operation op("clamp_min", at);
  const Bounds by = bounds_of(op, self, min, {});
  return unary_number(clamp_kernel, kClampMin, op, self, by.wider, by.clamp);
}
Tensor& clamp_min_(Tensor& self, Scalar min, At at) {
  const Operation op("clamp_min_", at);
  const Bounds by = bounds_of(op, self, min, {});
  return unary_number_(clamp_kernel, kClampMin, op, self, by.wider, by.clamp);
}
Tensor clamp_max(const Tensor& self, Scalar max, At at) {
  const Operation op("clamp_max", at);
  const Bounds by = bounds_of(op, self, {}, max);
  return unary_number(clamp_kernel, kClampMax, op, self, by.wider, by.clamp);
}
Tensor& clamp_max_(Tensor& self, Scalar max, At at) {
  const Operation op("clamp_max_", at);
  const Bounds by = bounds_of(op, self, {}, max);
  return unary_number_(clamp_kernel, kClampMax, op, self, by.wider, by.clamp);
}

Tensor clip(const Tensor& self, OptionalScalar min, OptionalScalar max, At at) {
  return clamp(self, min, max, at);
}
Tensor& clip_(Tensor& self, OptionalScalar min, OptionalScalar max, At at) {
  return clamp_(self, min, max, at);
}

Tensor ElementwiseMembers::clamp(OptionalScalar min, OptionalScalar max, At at) const {
  return notape::clamp(self(), min, max, at);
}
Tensor& ElementwiseMembers::clamp_(OptionalScalar min, OptionalScalar max, At at) const {
  return notape::clamp_(self(), min, max, at);
}
Tensor ElementwiseMembers::clip(OptionalScalar min, OptionalScalar max, At at) const {
  return notape::clip(self(), min, max, at);
}
Tensor& ElementwiseMembers::clip_(OptionalScalar min, OptionalScalar max, At at) const {
  return notape::clip_(self(), min, max, at);
}
Tensor ElementwiseMembers::clamp_min(Scalar min, At at) const {
  return notape::clamp_min(self(), min, at);
}
Tensor& ElementwiseMembers::clamp_min_(Scalar min, At at) const {
  return notape::clamp_min_(self(), min, at);
}
Tensor ElementwiseMembers::clamp_max(Scalar max, At at) const {
  return notape::clamp_max(self(), max, at);
}
Tensor& ElementwiseMembers::clamp_max_(Scalar max, At at) const {
  return notape::clamp_max_(self(), max, at);
}
#endif

}  // namespace notape
