#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

Tensor product(const Tensor& x) { return x.prod(); }

TEST(Prod, HasExactGradientsWithZeros) {
  expect_values(weighted_gradient(product, constant({0, 2, 3})), {6, 0, 0});
  expect_values(weighted_gradient(product, constant({2, 0, 3})), {0, 6, 0});
  expect_values(weighted_gradient(product, constant({0, 0, 3})), {0, 0, 0});
  expect_values(weighted_gradient(product, constant({4})), {1});
  expect_values(weighted_gradient(product, constant({{1, 2}, {0, 5}})), {0, 0, 10, 0});
}

TEST(Prod, HasExactSecondDerivativesWithZeros) {
  EXPECT_THAT(hessian(product, constant({1, 2, 3})), ElementsAre(0, 3, 2, 3, 0, 1, 2, 1, 0));
  EXPECT_THAT(hessian(product, constant({0, 2, 3})), ElementsAre(0, 3, 2, 3, 0, 0, 2, 0, 0));
  EXPECT_THAT(hessian(product, constant({0, 0, 3})), ElementsAre(0, 3, 0, 3, 0, 0, 0, 0, 0));
  EXPECT_THAT(hessian(product, constant({0, 0, 0})), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Prod, HasExactThirdDerivativesWithZeros) {
  const Tensor x = leaf({0, 0, 0, 5});
  Tensor derivative = x.prod();
  for (int64_t i = 0; i < 2; ++i)
    derivative = autograd::grad({derivative}, {x}, {}, {}, true)[0][i];
  expect_values(autograd::grad({derivative}, {x})[0], {0, 0, 5, 0});
}

TEST(Prod, AlongADimensionTreatsEachSliceAlone) {
  const Tensor x = constant({{0, 2, 3}, {4, 0, 0}, {1, 2, 3}});
  const auto last = [](const Tensor& v) { return v.prod(-1, true); };
  const auto first = [](const Tensor& v) { return v.prod(0); };
  expect_values(weighted_gradient(last, x), {6, 0, 0, 0, 0, 0, 18, 9, 6});
  expect_values(weighted_gradient(first, x), {4, 0, 0, 0, 8, 27, 0, 0, 0});
}

TEST(Prod, OfNothingHasEmptyDerivatives) {
  const Tensor x = zeros({2, 0}, dtype(kFloat64).requires_grad(true));
  const Tensor gradient = autograd::grad({x.prod()}, {x}, {}, {}, true)[0];
  EXPECT_EQ(gradient.sizes(), IntArrayRef({2, 0}));
  EXPECT_EQ(autograd::grad({gradient.sum()}, {x})[0].sizes(), IntArrayRef({2, 0}));
}

TEST(Prod, ForwardModeIsExactWithZerosToo) {
  const Tensor tangent =
      directional_derivative(product, constant({0, 2, 3}), constant({0.5, 10, 20}));
  expect_values(tangent, {3});
}

TEST(Prod, DoesNotOverflowOnTheWay) {
  const Tensor x = tensor({1e20, 1e20, 1e-30, 1e-10}, dtype(kFloat32));
  expect_values(x.prod(), {1}, 1e-6);
  const Tensor gradient = weighted_gradient(product, x).to(kFloat64);
  EXPECT_TRUE(allclose(gradient, constant({1e-20, 1e-20, 1e30, 1e10}), 1e-6, 0));
}

// As in PyTorch.
TEST(Prod, HasSecondDerivativesWhereAProductOfTwoIsOutOfRange) {
  for (const bool along : {false, true}) {
    const Tensor x = leaf({1e200, 1e200, 0});
    const Tensor y = along ? x.prod(0) : x.prod();
    const Tensor gradient = autograd::grad({y}, {x}, {}, {}, true)[0];
    expect_values(autograd::grad({gradient.narrow(0, 0, 2).sum()}, {x})[0], {0, 0, 2e200}, 1e185);
  }
}

}  // namespace
}  // namespace notape::testing
