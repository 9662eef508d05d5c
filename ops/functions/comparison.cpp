#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions comparison_functions([](Functions& f) {
  f.of<Tensor(X, X)>("eq", eq, eq_out);
  f.of<Tensor(X, Scalar)>("eq", eq, eq_out);
  f(
      "eq_", +[](O self, X other, At at) -> O { return self.eq_(other, at); });
  f(
      "eq_", +[](O self, Scalar other, At at) -> O { return self.eq_(other, at); });
  f.of<Tensor(X, X)>("ne", ne, ne_out);
  f.of<Tensor(X, Scalar)>("ne", ne, ne_out);
  f(
      "ne_", +[](O self, X other, At at) -> O { return self.ne_(other, at); });
  f(
      "ne_", +[](O self, Scalar other, At at) -> O { return self.ne_(other, at); });
  f.of<Tensor(X, X)>("lt", lt, lt_out);
  f.of<Tensor(X, Scalar)>("lt", lt, lt_out);
  f(
      "lt_", +[](O self, X other, At at) -> O { return self.lt_(other, at); });
  f(
      "lt_", +[](O self, Scalar other, At at) -> O { return self.lt_(other, at); });
  f.of<Tensor(X, X)>("le", le, le_out);
  f.of<Tensor(X, Scalar)>("le", le, le_out);
  f(
      "le_", +[](O self, X other, At at) -> O { return self.le_(other, at); });
  f(
      "le_", +[](O self, Scalar other, At at) -> O { return self.le_(other, at); });
  f.of<Tensor(X, X)>("gt", gt, gt_out);
  f.of<Tensor(X, Scalar)>("gt", gt, gt_out);
  f(
      "gt_", +[](O self, X other, At at) -> O { return self.gt_(other, at); });
  f(
      "gt_", +[](O self, Scalar other, At at) -> O { return self.gt_(other, at); });
  f.of<Tensor(X, X)>("ge", ge, ge_out);
  f.of<Tensor(X, Scalar)>("ge", ge, ge_out);
  f(
      "ge_", +[](O self, X other, At at) -> O { return self.ge_(other, at); });
  f(
      "ge_", +[](O self, Scalar other, At at) -> O { return self.ge_(other, at); });
  f("logical_not", logical_not, logical_not_out);
  f("logical_and", logical_and, logical_and_out);
  f("logical_or", logical_or, logical_or_out);
  f("logical_xor", logical_xor, logical_xor_out);
  f("isnan", isnan);
  f("isinf", isinf);
  f("isfinite", isfinite);
  f("signbit", signbit, signbit_out);
  f.of<Tensor(X, X)>("bitwise_and", bitwise_and, bitwise_and_out);
  f.of<Tensor(X, Scalar)>("bitwise_and", bitwise_and, bitwise_and_out);
  f.of<Tensor(Scalar, X)>("bitwise_and", bitwise_and);
  f.of<Tensor(X, X)>("bitwise_or", bitwise_or, bitwise_or_out);
  f.of<Tensor(X, Scalar)>("bitwise_or", bitwise_or, bitwise_or_out);
  f.of<Tensor(Scalar, X)>("bitwise_or", bitwise_or);
  f.of<Tensor(X, X)>("bitwise_xor", bitwise_xor, bitwise_xor_out);
  f.of<Tensor(X, Scalar)>("bitwise_xor", bitwise_xor, bitwise_xor_out);
  f.of<Tensor(Scalar, X)>("bitwise_xor", bitwise_xor);
  f("bitwise_not", bitwise_not, bitwise_not_out);
  f("isclose", isclose);
  f("equal", equal);
  f("allclose", allclose);
});

}  // namespace
}  // namespace notape::functions
