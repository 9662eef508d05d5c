#include "paper_examples/optim/sgd.h"

#include <gtest/gtest.h>

#include "ops/ops.h"

namespace notape::optim {
namespace {

/// Ten steps on p1^2 / 2 + p2^2 + 2 p3^2 from (1, -2, 3).
Tensor after_ten_steps(const SGDOptions& options) {
  Tensor parameter = tensor({1., -2., 3.}, requires_grad(true));
  SGD optimizer({parameter}, options);
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    (parameter.square() * tensor({0.5, 1., 2.})).sum().backward();
    optimizer.step();
  }
  return parameter.detach();
}

TEST(Sgd, B03_TenStepsOfMomentumAreThoseOfTheFormula) {
  float parameter[] = {1, -2, 3}, buffer[] = {0, 0, 0};
  const float twice_the_weight[] = {1, 2, 4};
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < 3; ++i) {
      buffer[i] = 0.9f * buffer[i] + twice_the_weight[i] * parameter[i];
      parameter[i] = parameter[i] - 0.05f * buffer[i];
    }
  }
  const Tensor expected = tensor({parameter[0], parameter[1], parameter[2]});
  const Tensor seen = after_ten_steps(SGDOptions(0.05).momentum(0.9));
  EXPECT_TRUE(seen.equal(expected)) << seen - expected;
}

// Expected values: PyTorch 1.13, whose kernels fuse multiplication and addition; one ulp of the
// largest value on the way, 3, lies between.
constexpr double kUlpOf3 = 2.4e-7;

TEST(Sgd, B03_TenStepsOfMomentumAreThoseOfPyTorch) {
  const Tensor expected = tensor({-0.310922861, 1.17757857, 0.013199592});
  const Tensor seen = after_ten_steps(SGDOptions(0.05).momentum(0.9));
  EXPECT_TRUE(allclose(seen, expected, 0, kUlpOf3)) << seen - expected;
}

TEST(Sgd, TenPlainStepsAreThoseOfPyTorch) {
  const Tensor expected = tensor({0.598736882, -0.69735688, 0.322122574});
  const Tensor seen = after_ten_steps(SGDOptions(0.05));
  EXPECT_TRUE(allclose(seen, expected, 0, kUlpOf3)) << seen - expected;
}

TEST(Sgd, LeavesParametersWithoutGradientAlone) {
  Tensor moved = ones({2}, requires_grad(true)), kept = ones({2}, requires_grad(true));
  SGD optimizer({moved, kept}, SGDOptions(0.5).momentum(0.9));
  moved.sum().backward();
  optimizer.step();
  EXPECT_TRUE(moved.equal(full({2}, 0.5)));
  EXPECT_TRUE(kept.equal(ones({2})));
  EXPECT_EQ(kept._version(), 0u);
}

TEST(Sgd, RecordsNoGraphAndKeepsTheGradient) {
  Tensor parameter = ones({2}, requires_grad(true));
  SGD optimizer({parameter}, SGDOptions(0.5).momentum(0.9));
  (3 * parameter).sum().backward();
  const int64_t nodes = counters().nodes_created;
  optimizer.step();
  optimizer.step();
  EXPECT_EQ(counters().nodes_created, nodes);
  EXPECT_TRUE(parameter.is_leaf() && parameter.requires_grad());
  EXPECT_TRUE(parameter.grad().equal(full({2}, 3.0)));
}

TEST(Sgd, TakesANewLearningRateBetweenSteps) {
  Tensor parameter = ones({1}, requires_grad(true));
  SGD optimizer({parameter}, SGDOptions(0.5));
  parameter.sum().backward();
  optimizer.step();
  optimizer.options().lr(0.25);
  optimizer.step();
  EXPECT_EQ(parameter.item(), 0.25);
}

}  // namespace
}  // namespace notape::optim
