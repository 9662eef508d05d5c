#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

TEST(Var, OfOneElementIsNanUnlessBiased) {
  const Tensor x = constant({3});
  expect_close(x.var(), {kNaN});
  expect_close(x.var(false), {0});
  expect_close(weighted_gradient([](const Tensor& v) { return v.var(); }, x), {kNaN});
  expect_close(weighted_gradient([](const Tensor& v) { return v.var(false); }, x), {0});
}

TEST(Var, KeepsItsDigitsFarFromZero) {
  expect_values(constant({1e9 + 1, 1e9 + 2, 1e9 + 3}).var(), {1});
  expect_values(tensor({4096.25, 4096.5, 4096.75}, dtype(kFloat32)).var(), {0.0625});
}

TEST(Var, ReducesSeveralDimensions) {
  const Tensor x = arange(24, dtype(kFloat64)).reshape({2, 3, 4});
  // Per column: j, j+4, ..., j+20, with variance 16 * 35 / 12 * 6 / 5.
  expect_close(x.var({0, 1}), {56, 56, 56, 56});
  EXPECT_EQ(x.var({0, -2}, true, true).sizes(), IntArrayRef({1, 1, 4}));
}

TEST(Var, TakesABoolAsFlagAndAnIntAsDimension) {
  const Tensor x = constant({{1, 2}, {3, 6}});
  expect_close(x.var(false), {3.5});
  expect_close(x.var(0), {2, 8});
  expect_close(x.var({0}), {2, 8});
  expect_close(var(x, 1), {0.5, 4.5});
  expect_close(var(x, true), {4.666666667});
}

TEST(Var, HasConstantSecondDerivatives) {
  EXPECT_THAT(hessian([](const Tensor& x) { return x.var(); }, constant({1, 5})),
              Pointwise(DoubleNear(1e-15), {1.0, -1.0, -1.0, 1.0}));
}

TEST(VarMean, IsVarAndMean) {
  const Tensor x = constant({{1, 2, 6}, {-4, 0, 7}});
  const auto [variance, mean] = var_mean(x, 1);
  expect_close(variance, {7, 31});
  expect_close(mean, {3, 1});
  const auto [biased, of_all] = var_mean(x, false);
  expect_close(biased, {x.var(false).item()});
  expect_close(of_all, {2});
  EXPECT_EQ(std::get<1>(var_mean(x, {0, -1}, true, true)).sizes(), IntArrayRef({1, 1}));
}

TEST(VarMean, TheMeanAloneHasNothingOfTheVariance) {
  const Tensor x = constant({3}).requires_grad_(true);  // whose variance is NaN
  const auto [variance, mean] = var_mean(x);
  EXPECT_EQ(variance.grad_fn(), mean.grad_fn());
  expect_close(autograd::grad({mean}, {x}, {}, true)[0], {1});
  expect_close(autograd::grad({variance}, {x})[0], {kNaN});
}

TEST(VarMean, HasNoIntegersOnTheWay) { EXPECT_THROW(var_mean(arange(3)), DtypeError); }

}  // namespace
}  // namespace notape::testing
