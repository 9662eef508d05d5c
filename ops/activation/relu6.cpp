// relu6(x) = clamp(x, 0, 6)
#include "ops/activation/activation.h"

namespace notape {
namespace {

struct PlainRelu6 {
  template <typename T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }
};

const RegisterOp relu6_row(
    with_traits(Trait::Clamps, unary_spec<PlainRelu6>("relu6", relu6, relu6_,
                                                      {.low = -2, .high = 8, .kinks = {0, 6}})));

}  // namespace

Tensor relu6(const Tensor& self, At at) {
  check_operand({"relu6", at}, self);
  return hardtanh(self, 0, 6, at);
}
Tensor& relu6_(Tensor& self, At at) {
  check_operand({"relu6_", at}, self);
  return hardtanh_(self, 0, 6, at);
}

}  // namespace notape
