#include "verify/gtest.h"

#include "swish.h"

using namespace notape;
using namespace notape::verify;

namespace {

Tensor composed(const Tensor& x) { return x / (1 + exp(-x)); }
Tensor hinge(const Tensor& x) { return relu(1 - x); }
Tensor x() { return notape::tensor({0.5, -1.5, 3.0}, dtype(kFloat64)); }

NOTAPE_VERIFY_OP(swish).domain(-20, 20).order(2).power(1e-8);

TEST(Swish, DerivativeIsRight) { EXPECT_DERIVATIVE(swish, x()); }
TEST(Swish, SecondOrderIsRight) { EXPECT_DERIVATIVE_ORDER(2, swish, x()); }
TEST(Swish, ForwardMatchesReverse) { EXPECT_ADJOINT(swish, x()); }
TEST(Swish, IsDeterministic) { EXPECT_DETERMINISTIC(swish, x()); }
TEST(Swish, SameAsComposition) { EXPECT_SAME_FUNCTION(swish, composed, tensors(1)); }
TEST(Swish, RefusesIntegers) { EXPECT_REJECTED(Error, swish(x().to(kInt64)).backward()); }
TEST(Hinge, KinkFollowsItsConvention) { EXPECT_KINK(hinge, at(1.0), /*convention=*/0.0); }
NOTAPE_PROPERTY(Swish, ProductWithSwish, (Tensor a, Tensor b)) {
  return derivative_of([](const Tensor& s, const Tensor& t) { return swish(s) * t; }, a, b);
}

}  // namespace
