// What tests of structure share: x^2 written in ways that a test tells, and what is expected of
// check() on it.
#pragma once
#include "verify/functions/gradcheck_test_helper.h"
#include "verify/generate/layout.h"

namespace notape::verify {

/// The first red finding's check and what it says.
inline std::string verdict_on(const Report& report) {
  for (const Finding& finding : report.findings)
    if (is_red(finding.verdict))
      return finding.check + " " + std::string(name_of(finding.verdict)) + " " + finding.text;
  return "nothing";
}
/// Exactly this check is red, and it says so.
inline void expect_only(const Report& report, const std::string& verdict, const std::string& why) {
  int red = 0;
  for (const Finding& finding : report.findings) red += is_red(finding.verdict);
  EXPECT_EQ(red, 1) << report.text();
  EXPECT_THAT(verdict_on(report), ::testing::StartsWith(verdict + " "));
  EXPECT_THAT(verdict_on(report), ::testing::HasSubstr(why));
}
/// No derivative of a higher order and none forward: what these functions do not claim.
inline CheckOptions first_order() { return {.order = 1, .forward_mode = false}; }
inline void expect_right(const TensorFunction& f, const variable_list& x,
                         CheckOptions options = first_order()) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    options.seed = seed;
    const Report report = check(f, x, options);
    EXPECT_FALSE(is_red(report.verdict())) << report.text();
  }
}

/// x^2 in a way that `How` says.
template <typename How>
struct SquareBy : autograd::Function<SquareBy<How>> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    return How::forward(ctx, x);
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    return How::backward(ctx, std::move(grads));
  }
};
template <typename How>
Report check_square(const Tensor& x = x23(), const CheckOptions& options = first_order()) {
  return check([](const Tensor& at) { return SquareBy<How>::apply(at); }, {x}, options);
}

/// The usual square, to change one thing of.
struct Plain {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0] * 2};
  }
};

}  // namespace notape::verify
