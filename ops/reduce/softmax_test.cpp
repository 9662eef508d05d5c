#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

/// Two halves may both be rounded up to more than a half.
TEST(LogSoftmax, SharesTheGradientOfATieIn16Bits) {
  for (ScalarType type : {kHalf, kBFloat16}) {
    const Tensor x = zeros({2, 3}, type).requires_grad_();
    log_softmax(x, 0).select(0, 0).sum().backward();
    const Tensor expected = tensor({{0.5, 0.5, 0.5}, {-0.5, -0.5, -0.5}});
    EXPECT_TRUE(allclose(x.grad().to(kFloat32), expected, 0, 4e-3)) << x.grad();
  }
}

TEST(Softmax, DoesNotOverflow) {
  expect_close(constant({1000, 1000, -1000}).softmax(0), {0.5, 0.5, 0});
  expect_close(constant({1000, 1000, -1000}).log_softmax(0),
               {-0.693147181, -0.693147181, -2000.693147181});
}

TEST(Softmax, GivesNothingToMaskedElements) {
  const Tensor x = constant({0, -kInfinity, 0});
  const auto f = [](const Tensor& v) { return v.softmax(0); };
  const auto log_f = [](const Tensor& v) { return v.log_softmax(0)[0]; };
  expect_close(f(x), {0.5, 0, 0.5});
  expect_close(weighted_gradient(f, x), {-0.5, 0, 0.5});
  expect_close(weighted_gradient(log_f, x), {0.5, 0, -0.5});
}

TEST(Softmax, OfNothingButMaskedElementsIsNan) {
  const Tensor x = constant({-kInfinity, -kInfinity});
  expect_close(x.softmax(0), {kNaN, kNaN});
  expect_close(x.log_softmax(0), {kNaN, kNaN});
}

TEST(Softmax, IsAccurateInFloat32) {
  const Tensor x = linspace(-120, 0, 4001, dtype(kFloat32));
  const Tensor y = x.softmax(0), exact = x.to(kFloat64).softmax(0);
  // The smallest number is 1.4e-45: below 1.2e-38 there are fewer digits.
  EXPECT_TRUE(allclose(y.to(kFloat64), exact, 3e-7, 3e-45));
  EXPECT_TRUE(allclose(x.log_softmax(0).to(kFloat64), exact.log(), 3e-7, 0));
  EXPECT_GT(y[700].item(), 0);  // e^-99, a denormal number
}

TEST(Softmax, HasSecondDerivatives) {
  // y = sigmoid(a - b): y'' = y (1 - y) (1 - 2 y)
  const auto f = [](const Tensor& x) { return x.softmax(0)[0]; };
  const auto log_f = [](const Tensor& x) { return x.log_softmax(0)[0]; };
  const double y = 1 / (1 + std::exp(-1.0)), curve = y * (1 - y) * (1 - 2 * y);
  EXPECT_THAT(hessian(f, constant({2, 1})),
              Pointwise(DoubleNear(1e-15), {curve, -curve, -curve, curve}));
  const double slope = y * (1 - y);
  EXPECT_THAT(hessian(log_f, constant({2, 1})),
              Pointwise(DoubleNear(1e-15), {-slope, slope, slope, -slope}));
}

/// Every entry, to a few units in the last place.
void expect_digits(const Tensor& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.numel(), static_cast<int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got[static_cast<int64_t>(i)].item(), expected[i], 1e-15 * std::abs(expected[i]));
}

// The probabilities of the next two tests are 1 and these two, to first order in them.
const double kLittle = std::exp(-49.0), kLess = std::exp(-50.0);
Tensor saturated() { return constant({0, -49, -50}); }

TEST(Softmax, HasDerivativesWhereItSaturates) {
  const Tensor x = saturated();
  const auto f = [](const Tensor& v) { return v.softmax(0)[0]; };
  const auto log_f = [](const Tensor& v) { return v.log_softmax(0)[0]; };
  expect_digits(weighted_gradient(f, x), {kLittle + kLess, -kLittle, -kLess});
  expect_digits(weighted_gradient(log_f, x), {kLittle + kLess, -kLittle, -kLess});
  EXPECT_DOUBLE_EQ(log_f(x).item(), -kLittle - kLess);
  EXPECT_DOUBLE_EQ(x.logsumexp({0}).item(), kLittle + kLess);
}

TEST(Softmax, HasTangentsWhereItSaturates) {
  const auto along_first = [](Tensor (*f)(const Tensor&)) {
    return directional_derivative(f, saturated(), constant({1, 0, 0}));
  };
  expect_digits(along_first([](const Tensor& x) { return x.softmax(0); }),
                {kLittle + kLess, -kLittle, -kLess});
  expect_digits(along_first([](const Tensor& x) { return x.log_softmax(0); }),
                {kLittle + kLess, -1, -1});
}

TEST(Softmax, HasTheSameDerivativesAcrossSlices) {
  const auto wide = [](const Tensor& row) { return row.unsqueeze(1).expand({3, 5}); };
  for (Tensor (*const f)(const Tensor&) : {+[](const Tensor& x) { return x.softmax(0); },
                                           +[](const Tensor& x) { return x.log_softmax(0); }}) {
    const auto gradient = [&](const Tensor& at, const Tensor& incoming) {
      const Tensor leaf = at.clone().requires_grad_();
      return autograd::grad({f(leaf)}, {leaf}, {incoming})[0];
    };
    const Tensor v = constant({0.3, -2, 0.7});
    const Tensor one = gradient(saturated(), v), five = gradient(wide(saturated()), wide(v));
    for (int64_t n = 0; n < 5; ++n) EXPECT_TRUE(allclose(five.select(1, n), one, 1e-15, 0));
  }
}

TEST(Softmax, RunsAlongAMiddleDimension) {
  const Tensor x = arange(24, dtype(kFloat64)).reshape({2, 3, 4});
  const Tensor expected = x.transpose(1, 2).softmax(2).transpose(1, 2);
  EXPECT_TRUE(allclose(x.softmax(1), expected));
  EXPECT_TRUE(allclose(x.log_softmax(1), expected.log()));
}

}  // namespace
}  // namespace notape::testing
