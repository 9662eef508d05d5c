// selu(x) = scale x where x > 0, else scale alpha (e^x - 1), of the two numbers that keep mean 0
// and variance 1 (Klambauer et al., Self-Normalizing Neural Networks, 2017)
#include "ops/activation/activation.h"
#include "ops/spec/accuracy.h"

namespace notape {
namespace {

constexpr double kAlpha = 1.6732632423543772848170429916717;
constexpr double kScale = 1.0507009873554804934193349852946;

struct PlainSelu {
  template <typename T>
  T operator()(T x) const {
    return T(kScale) * (x > T(0) ? x : T(kAlpha) * math::expm1(x));
  }
};

const RegisterOp selu_row(unary_spec<PlainSelu>("selu", selu, selu_,
                                                {.low = -3, .high = 3, .kinks = {0}}));
const RegisterAccuracy selu_accuracy({.row = "selu",
                                      .value = 2,
                                      .reason = "multiplies a rounded number by a rounded one"});

}  // namespace

Tensor selu(const Tensor& self, At at) {
  check_floating_operand({"selu", at}, self);
  return elu(self, kAlpha, kScale, 1, at);
}
Tensor& selu_(Tensor& self, At at) {
  check_floating_operand({"selu_", at}, self);
  return elu_(self, kAlpha, kScale, 1, at);
}

}  // namespace notape
