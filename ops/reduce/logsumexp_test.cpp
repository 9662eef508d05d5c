#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

Tensor over_all(const Tensor& x) { return x.logsumexp(0); }

TEST(Logsumexp, DoesNotOverflow) {
  expect_close(over_all(constant({1000, 1000})), {1000.693147181});
  expect_close(over_all(constant({-1000, -1000})), {-999.306852819});
  expect_close(weighted_gradient(over_all, constant({1000, 1000})), {0.5, 0.5});
}

TEST(Logsumexp, OfMaskedElementsLeavesThemOut) {
  const Tensor mask = tensor({false, true});
  const auto masked = [&](const Tensor& x) { return over_all(x.masked_fill(mask, -kInfinity)); };
  expect_close(masked(constant({0, 100})), {0});
  expect_close(weighted_gradient(masked, constant({0, 100})), {1, 0});
  EXPECT_THAT(hessian(masked, constant({0, 100})), ElementsAre(0, 0, 0, 0));
}

TEST(Logsumexp, OfInfinitiesIsInfinite) {
  expect_close(over_all(constant({-kInfinity, -kInfinity})), {-kInfinity});
  expect_close(over_all(constant({kInfinity, -kInfinity, 1})), {kInfinity});
  expect_close(over_all(constant({kNaN, 1})), {kNaN});
}

TEST(Logsumexp, WithoutAnyTermHasNoGradient) {
  expect_close(weighted_gradient(over_all, constant({-kInfinity, -kInfinity})), {0, 0});
}

TEST(Logsumexp, BesideAnInfiniteTermOthersHaveNoWeight) {
  expect_close(weighted_gradient(over_all, constant({kInfinity, 0, -kInfinity})), {kNaN, 0, 0});
}

TEST(Logsumexp, HasTheCovarianceOfTheSoftmaxAsSecondDerivative) {
  const std::vector<double> second = hessian(over_all, constant({0, 0}));
  EXPECT_THAT(second, Pointwise(DoubleNear(1e-15), {0.25, -0.25, -0.25, 0.25}));
}

}  // namespace
}  // namespace notape::testing
