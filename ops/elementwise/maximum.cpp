// maximum(a, b) and minimum(a, b), and fmax(a, b) and fmin(a, b), in which a number wins against
// NaN: the gradient goes to the operand that won. At a tie two active operands get half each, and a
// constant one leaves 0 (the slope of smallest size). NaN wins, and takes all where the other is a
// constant: there is no slope, but the gradient must not vanish.
#include "ops/elementwise/operator.h"

namespace notape {
namespace {

struct Maximum {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return math::max(a, b);
  }
};
struct Minimum {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    return math::min(a, b);
  }
};
struct Fmax {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const bool is_nan = a != a, wins = b > a;
    return (is_nan | wins) ? b : a;
  }
};
struct Fmin {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const bool is_nan = a != a, wins = b < a;
    return (is_nan | wins) ? b : a;
  }
};
/// The gradient where `own` beats `rival`.
struct WinnerGradient {
  bool smallest, shared, numbers_win = false;
  template <typename T>
  NOTAPE_HD T operator()(T grad, T own, T rival) const {
    const bool nan = own != own, rival_nan = rival != rival;
    const bool tie = (own == rival) | (nan & rival_nan);
    const bool wins = (numbers_win ? rival_nan : nan) | (smallest ? own < rival : own > rival);
    const T share = shared ? grad * T(0.5) : nan ? grad : T(0), won = wins ? grad : T(0);
    return tie ? share : won;
  }
};
const ElementwiseKernel<Maximum, 2> maximum_kernel("maximum");
const ElementwiseKernel<Minimum, 2> minimum_kernel("minimum");
const ElementwiseKernel<Fmax, 2> fmax_kernel("fmax");
const ElementwiseKernel<Fmin, 2> fmin_kernel("fmin");
const ElementwiseKernel<WinnerGradient, 3> maximum_gradient_kernel("maximum.gradient");

}  // namespace

#ifndef __CUDACC__
namespace {

Tensor winner_gradient(const Tensor& grad, const Tensor& own, const Tensor& rival,
                       const WinnerGradient& f);

constexpr auto kMaximumGradient = derivative(
    "MaximumBackwardBackward0",
    selection([](const Tensor& grad, const Input<1>& own, const Input<2>& rival,
                 const WinnerGradient& f) { return winner_gradient(grad, own, rival, f); }),
    not_differentiable, not_differentiable);

constexpr auto winner_derivative(const char* name) {
  return derivative(
      name,
      selection([](const Tensor& grad, const Input<0>& self, const Input<1>& other,
                   const WinnerGradient& f) { return winner_gradient(grad, self, other, f); }),
      selection([](const Tensor& grad, const Input<0>& self, const Input<1>& other,
                   const WinnerGradient& f) { return winner_gradient(grad, other, self, f); }));
}
constexpr auto kMaximum = winner_derivative("MaximumBackward0");
constexpr auto kMinimum = winner_derivative("MinimumBackward0");
constexpr auto kFmax = winner_derivative("FmaxBackward0");
constexpr auto kFmin = winner_derivative("FminBackward0");

Tensor winner_gradient(const Tensor& grad, const Tensor& own, const Tensor& rival,
                       const WinnerGradient& f) {
  return ternary(maximum_gradient_kernel, kMaximumGradient, {"maximum_backward", At::current()},
                 grad, own, rival, f, f);
}

/// Whether a derivative with respect to the operand is wanted.
bool is_active(const Tensor& operand) {
  return (may_have_tangent(operand) && !active_levels({&operand}).empty()) ||
         (thread_state.grad_mode && needs_gradient(operand));
}

const RegisterOp maximum_row(binary_spec<Maximum>("maximum", maximum, nullptr, {.distinct = true}));
const RegisterOp minimum_row(binary_spec<Minimum>("minimum", minimum, nullptr, {.distinct = true}));
const RegisterOp fmax_row(binary_spec<Fmax>("fmax", fmax, nullptr, {.distinct = true}));
const RegisterOp fmin_row(binary_spec<Fmin>("fmin", fmin, nullptr, {.distinct = true}));

}  // namespace

Tensor maximum(const Tensor& self, const Tensor& other, At at) {
  const WinnerGradient gradient{false, is_active(self) && is_active(other)};
  return binary(maximum_kernel, kMaximum, {"maximum", at}, self, other, {}, gradient);
}
Tensor minimum(const Tensor& self, const Tensor& other, At at) {
  const WinnerGradient gradient{true, is_active(self) && is_active(other)};
  return binary(minimum_kernel, kMinimum, {"minimum", at}, self, other, {}, gradient);
}
Tensor fmax(const Tensor& self, const Tensor& other, At at) {
  const WinnerGradient gradient{false, is_active(self) && is_active(other), true};
  return binary(fmax_kernel, kFmax, {"fmax", at}, self, other, {}, gradient);
}
Tensor fmin(const Tensor& self, const Tensor& other, At at) {
  const WinnerGradient gradient{true, is_active(self) && is_active(other), true};
  return binary(fmin_kernel, kFmin, {"fmin", at}, self, other, {}, gradient);
}

Tensor ElementwiseMembers::maximum(const Tensor& other, At at) const {
  return notape::maximum(self(), other, at);
}
Tensor ElementwiseMembers::minimum(const Tensor& other, At at) const {
  return notape::minimum(self(), other, at);
}
Tensor ElementwiseMembers::fmax(const Tensor& other, At at) const {
  return notape::fmax(self(), other, at);
}
Tensor ElementwiseMembers::fmin(const Tensor& other, At at) const {
  return notape::fmin(self(), other, at);
}
#endif

}  // namespace notape
