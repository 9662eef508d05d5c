// What a report that could not decide tells its reader to do.
#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Advice, NoisyValuesNeedOtherInputsAToleranceOrAFormula) {
  const auto cancels = [](const Tensor& x) { return (1 - cos(x)) / (x * x); };
  const Report report = check(cancels, {leaf({0.001}, {1})});
  ASSERT_EQ(report.verdict(), Verdict::Unresolved) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("  advice     "));
  EXPECT_THAT(report.text(), HasSubstr(".atol or .rtol"));
  EXPECT_THAT(report.text(), HasSubstr(".reference"));
  // And that helps.
  EXPECT_TRUE(check(cancels, {leaf({0.8}, {1})}).ok());
  EXPECT_TRUE(check(cancels, {leaf({0.001}, {1})}, {.order = 1, .atol = 0.01}).ok());
}

TEST(Advice, WhatIsRightOrWrongNeedsNone) {
  EXPECT_THAT(check([](const Tensor& x) { return sin(x); }, {x23()}).text(),
              Not(HasSubstr("advice")));
  EXPECT_THAT(check_rules(sine_off_by(2)).text(), Not(HasSubstr("advice")));
}

}  // namespace
}  // namespace notape::verify
