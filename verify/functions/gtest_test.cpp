// The assertions on right and on wrong functions.
#include "verify/gtest.h"

#include <gtest/gtest-spi.h>

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape::verify {
namespace {

Tensor swish(const Tensor& x) { return x * sigmoid(x); }
Tensor swish_composed(const Tensor& x) { return x / (1 + exp(-x)); }
Tensor swish_without_x(const Tensor& x) { return sigmoid(x); }
Tensor scaled(const Tensor& x, const Tensor& w) { return tanh(x * w); }
Tensor hinge(const Tensor& x) { return relu(1 - x); }
Tensor noisy(const Tensor& x) { return x + rand_like(x); }

/// Gives the right values and half of the gradient.
Tensor half_swish(const Tensor& x) { return swish(x) * 0.5 + swish(x.detach()) * 0.5; }
/// Has no forward mode.
struct ReverseOnly : autograd::Function<ReverseOnly> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    return {grads[0] * 2 * ctx->get_saved_variables()[0]};
  }
};
Tensor reverse_only(const Tensor& x) { return ReverseOnly::apply(x); }

Tensor point() { return notape::tensor({0.25, -1.5, 3.0}, dtype(kFloat64)); }

// (Ends of a domain are drawn, too; at 20 the second derivative is 4e-8, and differences of values
// about 1 do not see 1e-7 of that.)
NOTAPE_VERIFY_OP(swish).domain(-8, 8).order(3).power(1e-7);
NOTAPE_VERIFY_OP(scaled).samples(10);

/// Kinks, ties, no forward mode and mixed types are no failures of functions with a formula.
Tensor rectified(const Tensor& x) { return relu(x); }
constexpr auto rectified_formula = []<typename T>(T x) { return math::max(x, T(0)); };
NOTAPE_VERIFY_OP(rectified).reference(elementwise_reference(rectified_formula));
Tensor larger(const Tensor& x, const Tensor& y) { return maximum(x, y); }
constexpr auto larger_formula = []<typename T>(T x, T y) { return math::max(x, y); };
NOTAPE_VERIFY_OP(larger).reference(elementwise_reference(larger_formula));
Tensor composed(const Tensor& x, const Tensor& y) { return x * y + sin(x); }
constexpr auto composed_formula = []<typename T>(T x, T y) { return x * y + math::sin(x); };
NOTAPE_VERIFY_OP(composed).reference(elementwise_reference(composed_formula));
constexpr auto square_formula = []<typename T>(T x) { return x * x; };
NOTAPE_VERIFY_OP(reverse_only).reference(elementwise_reference(square_formula));

TEST(Assertions, HoldForRightFunctions) {
  EXPECT_DERIVATIVE(swish, point());
  ASSERT_DERIVATIVE(scaled, point(), point());
  EXPECT_DERIVATIVE_ORDER(1, swish, point());
  ASSERT_DERIVATIVE_ORDER(2, swish, point());
  EXPECT_DERIVATIVE_ORDER(3, swish, point());
  EXPECT_ADJOINT(swish, point());
  ASSERT_ADJOINT(scaled, point(), point());
  EXPECT_KINK(hinge, at(1.0), 0.0);
  ASSERT_KINK(hinge, at(1.0), 0.0);
  EXPECT_SAME_FUNCTION(swish, swish_composed, tensors(1, {.domain = {.low = -4, .high = 4}}));
  ASSERT_SAME_FUNCTION(scaled, scaled, tensors(2));
  EXPECT_DETERMINISTIC(swish, point());
  ASSERT_DETERMINISTIC(swish, point());
  EXPECT_REJECTED(ShapeError, mm(point(), point()));
  ASSERT_REJECTED(ShapeError, mm(point(), point()));
}

TEST(Assertions, FailForWrongOnesAndSayWhy) {
  EXPECT_NONFATAL_FAILURE(EXPECT_DERIVATIVE(half_swish, point()), "gradient of argument 0");
  EXPECT_NONFATAL_FAILURE(EXPECT_DERIVATIVE_ORDER(1, half_swish, point()), "FAIL");
  EXPECT_NONFATAL_FAILURE(EXPECT_DERIVATIVE_ORDER(2, half_swish, point()), "lower order");
  EXPECT_NONFATAL_FAILURE(EXPECT_ADJOINT(reverse_only, point()), "not there  forward-mode");
  EXPECT_NONFATAL_FAILURE(EXPECT_KINK(hinge, at(1.0), -1.0), "declared");
  EXPECT_NONFATAL_FAILURE(EXPECT_KINK(swish, at(1.0), 0.0), "no kink");
  EXPECT_NONFATAL_FAILURE(EXPECT_SAME_FUNCTION(swish, swish_without_x, tensors(1)), "same-value");
  EXPECT_NONFATAL_FAILURE(EXPECT_DETERMINISTIC(noisy, point()), "NONDETERMINISTIC");
  EXPECT_NONFATAL_FAILURE(EXPECT_DERIVATIVE(noisy, point()), "NONDETERMINISTIC");
  EXPECT_NONFATAL_FAILURE(EXPECT_REJECTED(ShapeError, point().sum()), "throws nothing");
}

TEST(Assertions, EndTheTestInTheirFatalForm) {
  EXPECT_FATAL_FAILURE(ASSERT_DERIVATIVE(half_swish, point()), "gradient of argument 0");
  EXPECT_FATAL_FAILURE(ASSERT_DERIVATIVE_ORDER(1, half_swish, point()), "FAIL");
  EXPECT_FATAL_FAILURE(ASSERT_ADJOINT(reverse_only, point()), "not there");
  EXPECT_FATAL_FAILURE(ASSERT_KINK(hinge, at(1.0), -0.5), "is not the declared one");
  EXPECT_FATAL_FAILURE(ASSERT_SAME_FUNCTION(swish, half_swish, tensors(1)), "same-gradient");
  EXPECT_FATAL_FAILURE(ASSERT_DETERMINISTIC(noisy, point()), "NONDETERMINISTIC");
  EXPECT_FATAL_FAILURE(ASSERT_REJECTED(ShapeError, point().sum()), "throws nothing");
}

TEST(Assertions, AnOrderBeyondTheThirdIsRefused) {
  EXPECT_THROW(derivative_of_order_is_right(4, swish, point()), ValueError);
}

TEST(Assertions, AFunctionThatAgreesInValueOnlyIsNotTheSame) {
  const Report report = same_function(swish, half_swish, tensors(1));
  EXPECT_TRUE(report.only("same-value").ok()) << report.text();
  EXPECT_FALSE(report.only("same-gradient").ok());
  EXPECT_NE(report.text().find("input 0"), std::string::npos) << report.text();
  const auto lost = [](const Tensor& x) { return swish(x.detach()) + 0 * x; };
  EXPECT_FALSE(same_function(lost, swish, tensors(1)).only("same-gradient").ok());
}

TEST(Assertions, AnOperatorsSuiteFailsWithTheErrorShrunkToOneEntry) {
  OperatorSuite suite("half_swish", half_swish);
  const auto result = suite.verify();
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("input 0    []"), std::string::npos)
      << result.message();
  EXPECT_TRUE(OperatorSuite("hinge", hinge).kinks({1}).samples(10).verify());
  EXPECT_FALSE(OperatorSuite("swish", swish).power(1e-20).samples(5).verify());
}

Report half_is_right(Tensor x) { return derivative_of(half_swish, x); }
TEST(Assertions, AFalsePropertyFails) {
  EXPECT_FATAL_FAILURE(check_property(half_is_right), "gradient of argument 0");
}

NOTAPE_PROPERTY(Assertions, APropertyOfTwoTensorsHolds, (Tensor x, Tensor w)) {
  return derivative_of(scaled, x, w);
}

}  // namespace
}  // namespace notape::verify
