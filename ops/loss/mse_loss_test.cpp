#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

Tensor input() { return constant({{1, 2, 3}, {4, 5, 6}}); }
Tensor row() { return constant({0.5, -1, 2}); }

struct MseExample {
  Reduction reduction;
  std::vector<double> loss, input_gradient, target_gradient;
};

const MseExample kMseExamples[] = {
    {Reduction::None, {0.25, 9, 1, 12.25, 36, 16}, {1, 12, 6, 28, 60, 48}, {-29, -72, -54}},
    {Reduction::Mean,
     {12.416666667},
     {0.166666667, 1, 0.333333333, 1.166666667, 2, 1.333333333},
     {-1.333333333, -3, -1.666666667}},
    {Reduction::Sum, {74.5}, {1, 6, 2, 7, 12, 8}, {-8, -18, -10}},
};

TEST(MseLoss, HasTheValuesAndGradientsOfLibTorch) {
  for (const MseExample& example : kMseExamples) {
    const auto of_input = [&](const Tensor& x) { return mse_loss(x, row(), example.reduction); };
    const auto of_target = [&](const Tensor& y) { return mse_loss(input(), y, example.reduction); };
    expect_close(of_input(input()), example.loss);
    expect_close(weighted_gradient(of_input, input()), example.input_gradient);
    expect_close(weighted_gradient(of_target, row()), example.target_gradient);
  }
}

TEST(MseLoss, AgreesInForwardAndReverseMode) {
  const Tensor direction = constant({1, -2, 3});
  for (const MseExample& example : kMseExamples) {
    const auto loss = [&](const Tensor& y) { return mse_loss(input(), y, example.reduction); };
    const Tensor tangent = directional_derivative(loss, row(), direction);
    const Tensor gradient = weighted_gradient(loss, row());
    EXPECT_NEAR((tangent * counting_like(tangent)).sum().item(),
                (gradient * direction).sum().item(), 1e-12);
  }
}

TEST(MseLoss, TakesABoolTargetInBackwardToo) {
  const Tensor x = leaf({0.5, -1}), target = constant({1, 0}).to(kBool);
  mse_loss(x, target, Reduction::Sum).backward();
  expect_close(x.grad(), {-1, -2});
}

TEST(MseLoss, HasSecondDerivatives) {
  const auto loss = [](const Tensor& x) { return mse_loss(x, constant({1, 1})); };
  EXPECT_THAT(hessian(loss, constant({3, -2})), ElementsAre(1, 0, 0, 1));
}

TEST(MseLoss, OfNothingIsNanInTheMeanAndZeroInTheSum) {
  const Tensor none = zeros({0, 2}, kFloat64);
  expect_close(mse_loss(none, none), {kNaN});
  expect_close(mse_loss(none, none, Reduction::Sum), {0});
}

TEST(MseLoss, RejectsShapesThatDoNotBroadcast) {
  expect_error<ShapeError>("mse_loss", [] { mse_loss(zeros({2}), zeros({3})); });
}

}  // namespace
}  // namespace notape::testing
