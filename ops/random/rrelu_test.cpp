#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

TEST(Rrelu, DrawsSlopesBetweenTheBounds) {
  manual_seed(5);
  const Tensor x = full({20000}, -1, kFloat64);
  const Tensor slopes = -rrelu(x, 0.25, 0.75, true);
  for (double slope : values(slopes)) EXPECT_TRUE(slope >= 0.25 && slope <= 0.75) << slope;
  // Uniform ones of a width of 1/2 have variance 1/48.
  EXPECT_NEAR(slopes.mean().item(), 0.5, 4 * std::sqrt(1.0 / 48 / 20000));
  EXPECT_NEAR(var(slopes).item(), 1.0 / 48, 0.001);
}

TEST(Rrelu, UsesTheSameSlopesForGradientAndTangent) {
  manual_seed(3);
  const Tensor x = leaf({-1, -1, -1, 2, -1});
  const Tensor y = rrelu(x, 0.1, 0.9, true);
  y.sum().backward();
  std::vector<double> expected = values(y);
  for (double& value : expected) value = value == 2 ? 1 : -value;
  EXPECT_EQ(values(x.grad()), expected);
  std::vector<double> result;
  const auto f = [&](const Tensor& v) {
    const Tensor z = rrelu(v, 0.1, 0.9, true);
    result = values(z);
    return z;
  };
  const Tensor minus = full({20}, -1, kFloat64);
  EXPECT_EQ(values(directional_derivative(f, minus, minus)), result);
}

TEST(Rrelu, IsLeakyReluWithTheMeanOutsideTraining) {
  const Tensor x = constant({-2, -0.5, 0, 3});
  expect_values(rrelu(x, 0.25, 0.75), {-1, -0.25, 0, 3});
  expect_close(rrelu(x), {-2 * 11.0 / 48, -0.5 * 11.0 / 48, 0, 3});
}

TEST(Rrelu, WritesTheSameInPlace) {
  const Tensor x = constant({{-1, 2}, {-3, 4}});
  for (const bool training : {false, true}) {
    manual_seed(7);
    const std::vector<double> expected = values(rrelu(x, -1, 2, training));
    manual_seed(7);
    Tensor y = x.clone();
    rrelu_(y, -1, 2, training);
    EXPECT_EQ(values(y), expected);
    manual_seed(7);
    EXPECT_EQ(values(rrelu(x.t().contiguous().t(), -1, 2, training)), expected);
  }
}

TEST(Rrelu, HasTheSmallerSlopeAtZero) {
  for (const auto& [slope, expected] : {std::pair{0.5, 0.5}, {2.0, 1.0}, {-0.5, 0.0}}) {
    const Tensor x = leaf({0});
    rrelu(x, slope, slope, true).sum().backward();
    expect_values(x.grad(), {expected});
  }
}

TEST(Rrelu, KeepsNaNAndWhatIsInfiniteAbove) {
  const Tensor y = rrelu(constant({kNaN, kInfinity, -kInfinity}), 0.1, 0.2, true);
  EXPECT_TRUE(std::isnan(values(y)[0]));
  EXPECT_EQ(values(y)[1], kInfinity);
  EXPECT_EQ(values(y)[2], -kInfinity);
}

TEST(Rrelu, RefusesBoundsThatAreNone) {
  Tensor x = constant({1, -1});
  for (const bool training : {false, true}) {
    expect_error<ValueError>("rrelu: lower bound should be less than or equal to the upper bound",
                             [&] { rrelu(x, 2, 1, training); });
    expect_error<ValueError>("rrelu_: upper bound must be finite, got inf",
                             [&] { rrelu_(x, 0, kInfinity, training); });
    expect_error<ValueError>("rrelu: lower bound must be finite, got nan",
                             [&] { rrelu(x, kNaN, 1, training); });
    expect_error<DtypeError>("rrelu: ", [&] { rrelu(tensor({1}), 0, 1, training); });
    expect_error<UndefinedTensor>("rrelu: ", [&] { rrelu(Tensor(), 0, 1, training); });
  }
  expect_values(x, {1, -1});
}

}  // namespace
}  // namespace notape::testing
