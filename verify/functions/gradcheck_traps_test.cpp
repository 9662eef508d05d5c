// Functions that mislead differences of their values: periodic, badly scaled, at the ends of
// domains, beside kinks, rounded away. Wrong derivatives of them are found, right ones are not
// called wrong.
#include <cmath>

#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

TEST(GradcheckTraps, ShortPeriodsDoNotFitIntoTheSteps) {
  // Steps by powers of two from 0 or 1 would meet the same phase every time.
  for (double frequency : {16.0, 64.0, 512.0}) {
    const double omega = 2 * M_PI * frequency;
    const auto wave = [=](const Tensor& x) { return x + sin(x * omega) * 0.5; };
    const auto slope = [=](const Tensor& x) { return cos(x * omega) * (0.5 * omega) + 1; };
    for (double at : {0.0, 1.0, 1.25}) {
      const Tensor x = leaf({at}, {1});
      const CheckOptions first{.order = 1};
      EXPECT_EQ(
          check_rules(with_slope(wave, [](const Tensor& t) { return ones_like(t); }), x, first)
              .verdict(),
          Verdict::Fail)
          << frequency << " at " << at;
      EXPECT_FALSE(is_red(check_rules(with_slope(wave, slope), x, first).verdict()))
          << frequency << " at " << at;
    }
  }
}

TEST(GradcheckTraps, SmallEntriesDoNotHideBehindLargeOnes) {
  const auto twice_below_zero = [](const Tensor& x) { return where(x < 0, exp(x) * 2, exp(x)); };
  const Tensor x = leaf({-30, -20, -10, -4, -1, 10, 20, 30}, {8});
  const Rules wrong = with_slope([](const Tensor& t) { return exp(t); }, twice_below_zero);
  EXPECT_EQ(check_rules(wrong, x, {.order = 1}).verdict(), Verdict::Fail);
  const auto formula = []<typename T>(T t) { return math::exp(t); };
  const CheckOptions referenced{.order = 1, .reference = elementwise_reference(formula)};
  EXPECT_EQ(check_rules(wrong, x, referenced).verdict(), Verdict::Fail);
  EXPECT_TRUE(check([](const Tensor& t) { return exp(t); }, {x}, referenced).ok());
  // A value that is lost beside large ones, with the gradient to match.
  const auto cut = [](const Tensor& t) { return where(t < 0, t * 0, exp(t)); };
  expect_fail(check_rules(with_slope(cut, cut), x, referenced), "value", "output");
}

TEST(GradcheckTraps, AGradientThatChangesWhenItIsRecordedIsFound) {
  const Rules rules =
      with_slope([](const Tensor& x) { return exp(x); },
                 [](const Tensor& x) { return GradMode::is_enabled() ? exp(x) + 1 : exp(x); });
  expect_fail(check_rules(rules, x23(), {.order = 1, .forward_mode = false}), "hygiene",
              "create_graph");
}

TEST(GradcheckTraps, RightFunctionsAreNotRedNearTheEndOfTheirDomain) {
  const Tensor small = leaf({1e-9, 0.5}, {2}), tiny = leaf({1e-6, 1e4, 2e4}, {3});
  const auto entropy = [](const Tensor& x) { return x * log(x); };
  const auto arc = [](const Tensor& x) { return sqrt(1 - x * x); };
  for (const Tensor& x : {small, tiny}) {
    EXPECT_FALSE(is_red(check([](const Tensor& t) { return log(t); }, {x}).verdict()));
    EXPECT_FALSE(is_red(check([](const Tensor& t) { return sqrt(t); }, {x}).verdict()));
    EXPECT_FALSE(is_red(check(entropy, {x}).verdict()));
  }
  const Report report = check(arc, {leaf({0.99999999999, 0.2}, {2})});
  EXPECT_FALSE(is_red(report.verdict())) << report.text();
}

TEST(GradcheckTraps, RightFunctionsAreNotRedBesideAKink) {
  for (double distance : {0x1p-52, 1e-15, 1e-12, 1e-10, 1e-6}) {
    const Tensor x = leaf({1 + distance, 2}, {2});
    for (const TensorFunction& f :
         {tensor_function([](const Tensor& t) { return relu(t - 1); }),
          tensor_function([](const Tensor& t) { return abs(t - 1) + t; })}) {
      const Report report = check(f, {x});
      EXPECT_FALSE(is_red(report.verdict())) << distance << report.text();
    }
  }
}

TEST(GradcheckTraps, RightFunctionsAreNotRedWhereTheirValuesAreRoundedAway) {
  const auto huber = [](const Tensor& x) { return sqrt(x * x + 1) - 1; };
  EXPECT_FALSE(is_red(check(huber, {leaf({0x1p-52}, {1})}).verdict()));
  EXPECT_FALSE(
      is_red(check([](const Tensor& x) { return tanh(x); }, {leaf({11.78}, {1})}).verdict()));
  // A constant with a slope is wrong all the same.
  const auto constant = [](const Tensor& x) { return x * 0 + 1; };
  EXPECT_EQ(
      check_rules(with_slope(constant, [](const Tensor& x) { return ones_like(x); })).verdict(),
      Verdict::Fail);
}

}  // namespace
}  // namespace notape::verify
