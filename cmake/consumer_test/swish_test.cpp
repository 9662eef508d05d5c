#include "verify/gtest.h"

#include "swish.h"

using namespace notape;
using namespace notape::verify;

namespace {

Tensor composed(const Tensor& x) { return x / (1 + exp(-x)); }
Tensor hinge(const Tensor& x) { return relu(1 - x); }
Tensor x() { return notape::tensor({0.5, -1.5, 3.0}, dtype(kFloat64)); }

// Without a formula, the second derivative at 20 (4e-8) is lost in the roundings of the value.
NOTAPE_VERIFY_OP(swish).domain(-8, 8).order(2).power(1e-7);

/// The same with a formula to be judged by: all of what built-in operators go through.
constexpr auto formula = []<typename T>(T number) { return number / (T(1) + math::exp(-number)); };
Tensor exact_swish(const Tensor& t) { return swish(t); }
NOTAPE_VERIFY_OP(exact_swish)
    .domain(-20, 20)
    .order(3)
    .power(1e-9)  // of the second derivative's smallest entries; measured: 1.4e-10
    .reference(elementwise_reference(formula));

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
