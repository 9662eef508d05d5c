// celu(x) = x where x > 0, else alpha (e^(x / alpha) - 1)
#include "ops/activation/activation.h"

namespace notape {
namespace {

double checked_alpha(const Operation& op, const Tensor& self, Scalar alpha) {
  check_parameters(op, self, {alpha});
  if (alpha.to<double>() == 0) op.fail<ValueError>("alpha cannot be 0 for CELU");
  return alpha.to<double>();
}

struct PlainCelu {
  double alpha;
  template <typename T>
  T operator()(T x) const {
    return x > T(0) ? x : T(alpha) * math::expm1(x / T(alpha));
  }
};

OpCase draw_celu(Draw& draw) {
  const double alpha = draw.real(0.5, 2.5);
  return activation_case(
      draw, format_message("alpha={}", {alpha}), {.low = -3, .high = 3, .kinks = {0}},
      [=](const Tensor& x) { return celu(x, alpha); }, [=](Tensor& x) { celu_(x, alpha); },
      PlainCelu{alpha});
}

const RegisterOp celu_row(op_row("celu", "elementwise", draw_celu));
const RegisterWithoutTails celu_tails(
    {.row = "celu", .reason = "hands elu 1 / alpha, rounded, which x below 0 multiplies"});

}  // namespace

Tensor celu(const Tensor& self, Scalar alpha, At at) {
  const double a = checked_alpha({"celu", at}, self, alpha);
  return elu(self, a, 1, 1 / a, at);
}
Tensor& celu_(Tensor& self, Scalar alpha, At at) {
  const double a = checked_alpha({"celu_", at}, self, alpha);
  return elu_(self, a, 1, 1 / a, at);
}

}  // namespace notape
