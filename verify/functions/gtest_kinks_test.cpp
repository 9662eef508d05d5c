// Forward mode on kinks of users' functions: between the slopes of both sides, as backward.
#include "verify/functions/gradcheck_test_helper.h"
#include "verify/gtest.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;

double tangent_factor_at_zero = 0;

/// The entries of x that are above 0, as ones.
Tensor above_zero(const Tensor& x) { return (x > 0.0).to(x.dtype()); }

/// max(x, 0), whose forward-mode derivative at 0 is to be chosen.
struct ReluWithJvp : autograd::Function<ReluWithJvp> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * above_zero(x);
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    return {grads[0] * above_zero(ctx->get_saved_variables()[0])};
  }
  static variable_list jvp(autograd::AutogradContext* ctx, variable_list tangents) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {tangents[0] * (above_zero(x) + (x == 0.0).to(x.dtype()) * tangent_factor_at_zero)};
  }
};
Tensor relu_with_jvp(const Tensor& x) { return ReluWithJvp::apply(x); }

/// The larger of two, without forward mode; on a tie the second one's share is to be chosen.
double second_share = 0.5;
struct LargerWithoutJvp : autograd::Function<LargerWithoutJvp> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->save_for_backward({a, b});
    return maximum(a, b);
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const variable_list x = ctx->get_saved_variables();
    const Tensor tie = (x[0] == x[1]).to(grads[0].dtype());
    return {grads[0] * (above_zero(x[0] - x[1]) + tie * 0.5),
            grads[0] * (above_zero(x[1] - x[0]) + tie * second_share)};
  }
};
Tensor larger_without_jvp(const Tensor& a, const Tensor& b) {
  return LargerWithoutJvp::apply(a, b);
}
constexpr auto plain_larger = []<typename T>(T a, T b) { return a > b ? a : b; };

TEST(ForwardKinks, OnAKinkThatIsDeclaredForwardModeLiesBetweenTheSlopes) {
  for (const double right : {0.0, 0.5, 1.0}) {
    tangent_factor_at_zero = right;
    EXPECT_TRUE(
        OperatorSuite("relu_with_jvp", relu_with_jvp).kinks({0}).order(1).samples(6).verify())
        << right;
  }
  for (const double wrong : {7.0, -0.5}) {
    tangent_factor_at_zero = wrong;
    const auto result =
        OperatorSuite("relu_with_jvp", relu_with_jvp).kinks({0}).order(1).samples(6).verify();
    EXPECT_FALSE(result) << wrong;
    EXPECT_THAT(result.message(), HasSubstr("the forward-mode derivative is"));
  }
}

TEST(ForwardKinks, AtAPointOnAKinkForwardModeLiesBetweenTheSlopes) {
  const Tensor x = leaf({0.5, 0, -1}, {3});
  for (const double right : {0.0, 1.0}) {
    tangent_factor_at_zero = right;
    const Report report = check(relu_with_jvp, {x}, {.order = 1});
    EXPECT_FALSE(is_red(report.verdict())) << report.text();
  }
  tangent_factor_at_zero = 7;
  const Report report = check(relu_with_jvp, {x}, {.order = 1});
  EXPECT_EQ(report.only("forward-mode").verdict(), Verdict::Fail) << report.text();
}

TEST(ForwardKinks, WhereThereIsNoForwardModeBackwardIsJudgedToTheEnd) {
  const auto judged = [](double share) {
    second_share = share;
    return OperatorSuite("larger_without_jvp", larger_without_jvp)
        .order(1)
        .samples(6)
        .reference(elementwise_reference(plain_larger))
        .verify();
  };
  EXPECT_TRUE(judged(0.5));
  const auto result = judged(7);
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), HasSubstr("FAIL: larger_without_jvp/kinks"));
}

/// max(x, 0.1), in the arithmetic of x.
Tensor floor_at_a_tenth(const Tensor& x) { return maximum(x, full_like(x, 0.1)); }

TEST(ForwardKinks, AKinkThatFloat32HasNoNumberForIsNoAlarm) {
  const auto result = OperatorSuite("floor_at_a_tenth", floor_at_a_tenth)
                          .domain(0, 1)
                          .kinks({0.1})
                          .samples(10)
                          .verify();
  EXPECT_TRUE(result) << result.message();
}

}  // namespace
}  // namespace notape::verify
