// Functions that change within far less than their inputs' own size, and rules that are wrong at
// one point alone: what steps of the inputs' size leave open, much smaller ones close.
#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

using Formula = Tensor (*)(const Tensor&);

Report judged(Formula f, Formula slope, const std::vector<double>& x, double factor = 1) {
  const auto rules = with_slope(f, [=](const Tensor& at) { return slope(at) * factor; });
  return check_rules(rules, leaf(x, {static_cast<int64_t>(x.size())}),
                     {.order = 1, .forward_mode = false})
      .only("reverse");
}

TEST(FinerSteps, SeeWavesThatStepsOfTheInputsSizeMiss) {
  const auto f = [](const Tensor& x) { return sin(x); };
  const auto slope = [](const Tensor& x) { return cos(x); };
  for (double x : {2e5, 1e6, 2.5e6}) {
    const Report right = judged(f, slope, {x, 1.25 * x});
    EXPECT_EQ(right.verdict(), Verdict::Pass) << right.text();
    const Report wrong = judged(f, slope, {x, 1.25 * x}, 1.001);
    EXPECT_THAT(wrong.verdict(), ::testing::AnyOf(Verdict::Fail, Verdict::Unresolved));
    EXPECT_THAT(wrong.text(), ::testing::Not(::testing::HasSubstr("on a kink")));
  }
  // Here a unit in the last place is a ten thousandth of a wave.
  for (double factor : {1.0, 1.001}) {
    const Report report = judged(f, slope, {1e12, 2.5e12}, factor);
    EXPECT_EQ(report.verdict(), Verdict::Unresolved) << report.text();
  }
}

TEST(FinerSteps, SeeThatARoundedCornerIsNone) {
  const auto f = [](const Tensor& x) { return sqrt(x * x + 1e-12); };
  const auto slope = [](const Tensor& x) { return x / sqrt(x * x + 1e-12); };
  const auto half = [](const Tensor& x) { return where(x == 0, 0.5, x / sqrt(x * x + 1e-12)); };
  for (const auto& x : {std::vector<double>{0}, {0, 1, -2}}) {
    const Report right = judged(f, slope, x);
    EXPECT_EQ(right.verdict(), Verdict::Pass) << right.text();
    const Report wrong = judged(f, half, x);
    EXPECT_EQ(wrong.verdict(), Verdict::Fail) << wrong.text();
  }
}

TEST(FinerSteps, ACornerStaysOne) {
  const auto f = [](const Tensor& x) { return abs(x); };
  const auto slope = [](const Tensor& x) { return sign(x); };
  const auto steep = [](const Tensor& x) { return where(x == 0, 1.5, sign(x)); };
  EXPECT_EQ(judged(f, slope, {0, 1e-6, 3}).verdict(), Verdict::Kink);
  EXPECT_EQ(judged(f, steep, {0, 1e-6, 3}).verdict(), Verdict::Fail);
}

TEST(FinerSteps, OneFormulaMayTakeOverFromAnother) {
  // 8e-11 apart at 0.01
  const auto f = [](const Tensor& x) { return where(abs(x) < 0.01, 1 - x * x / 6, sin(x) / x); };
  const auto slope = [](const Tensor& x) {
    return where(abs(x) < 0.01, -x / 3, (x * cos(x) - sin(x)) / (x * x));
  };
  for (const auto& x : {std::vector<double>{0.01}, {0.5, 0.01, 0.0099, 2}}) {
    const Report right = judged(f, slope, x);
    EXPECT_FALSE(is_red(right.verdict())) << right.text();
    const Report wrong = judged(f, slope, x, 1.5);
    EXPECT_EQ(wrong.verdict(), Verdict::Fail) << right.text() << wrong.text();
  }
  const auto jump = [](const Tensor& x) { return where(x < 1, x, x + 1e-3); };
  const auto one = [](const Tensor& x) { return ones_like(x); };
  EXPECT_EQ(judged(jump, one, {1}).verdict(), Verdict::Fail);
}

TEST(FinerSteps, AProductMovesThoughOneOfItsFactorsIsOnAStair) {
  // 1 + tanh(-19) is 2^-53 or nothing. Its stairs are as wide as x / 100.
  const auto inner = [](const Tensor& x) {
    return 0.7978845608028654 * (x + 0.044715 * x * x * x);
  };
  const auto gelu = with_slope([=](const Tensor& x) { return 0.5 * x * (1 + tanh(inner(x))); },
                               [=](const Tensor& x) {
                                 const Tensor y = tanh(inner(x));
                                 const Tensor slope =
                                     0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
                                 return 0.5 * (1 + y) + 0.5 * x * (1 - y * y) * slope;
                               });
  for (double x : {-7.19995832, -7.20000696, -7.17, -7.21, -7.05, -6.9})
    for (ScalarType type : {kFloat32, kFloat64}) {
      const Tensor at = leaf({x, x, x, x}, {4}).detach().to(type).requires_grad_(true);
      const Report report = check_rules(gelu, at, {.order = 1});
      EXPECT_FALSE(is_red(report.verdict())) << report.text();
    }
}

TEST(FinerSteps, AGradientThatJumpsAtThePointAloneIsNotNoisy) {
  const auto f = [](const Tensor& x) { return x * exp(x); };
  const auto forgets_zero = [](const Tensor& x) { return where(x == 0, 0.0, (1 + x) * exp(x)); };
  const auto slope = [](const Tensor& x) { return (1 + x) * exp(x); };
  for (const auto& x : {std::vector<double>{0}, {0.5, 0, -1}}) {
    EXPECT_EQ(judged(f, slope, x).verdict(), Verdict::Pass);
    EXPECT_EQ(judged(f, forgets_zero, x).verdict(), Verdict::Fail);
  }
}

}  // namespace
}  // namespace notape::verify
