#include "paper_examples/nn/init.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/ops.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/linear.h"

namespace notape::nn {
namespace {

/// The standard deviation of many, around 0.
double deviation(const Tensor& x) { return std::sqrt(x.square().mean().item()); }

TEST(Initialization, FillsTheRangeOfOneOverTheRootOfTheFanIn) {
  manual_seed(3);
  const auto check = [](const Tensor& parameter, double fan_in) {
    const double bound = 1 / std::sqrt(fan_in), largest = parameter.abs().max().item();
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, 0.9 * bound);
    EXPECT_NEAR(parameter.mean().item(), 0, 0.2 * bound);
  };
  const Linear linear(16, 200);
  check(linear->weight, 16);
  check(linear->bias, 16);
  const Conv2d conv(4, 200, 3);
  check(conv->weight, 36);
  check(conv->bias, 36);
}

TEST(Initialization, DeviationsAreThoseOfThePapers) {
  manual_seed(5);
  const Tensor w = empty({200, 50, 3});  // fan_in 150, fan_out 600
  EXPECT_NEAR(deviation(init::xavier_uniform_(w)), std::sqrt(2.0 / 750), 1e-3);
  EXPECT_LE(w.abs().max().item(), std::sqrt(6.0 / 750));
  EXPECT_NEAR(deviation(init::xavier_normal_(w, 2)), 2 * std::sqrt(2.0 / 750), 2e-3);
  EXPECT_NEAR(
      deviation(init::kaiming_normal_(w, 0, init::FanMode::FanOut, init::Nonlinearity::ReLU)),
      std::sqrt(2.0 / 600), 1e-3);
  EXPECT_NEAR(deviation(init::kaiming_uniform_(w, std::sqrt(5.0))), std::sqrt(1.0 / 3 / 150), 1e-3);
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::Tanh), 5.0 / 3);
  EXPECT_THROW(init::xavier_normal_(empty({3})), ShapeError);
}

TEST(Initialization, ATruncatedNormalStaysInsideAndHasItsDeviation) {
  manual_seed(6);
  const Tensor w = init::trunc_normal_(empty({100000}), 1, 2, 0, 3);
  EXPECT_GE(w.min().item(), 0);
  EXPECT_LE(w.max().item(), 3);
  // Of a standard normal between -1/2 and 1: mean (phi(1/2) - phi(1)) / (Phi(1) - Phi(-1/2)).
  EXPECT_NEAR(w.mean().item(), 1 + 2 * (0.35206533 - 0.24197072) / (0.84134475 - 0.30853754), 0.01);
  EXPECT_THROW(init::trunc_normal_(empty({1}), 0, 1, 2, -2), ValueError);
}

TEST(Initialization, OrthogonalRowsOrColumns) {
  manual_seed(7);
  const auto check = [](IntArrayRef sizes, int64_t side) {
    const Tensor w = init::orthogonal_(empty(sizes), 2);
    const Tensor flat = w.flatten(1);
    const Tensor products = flat.size(0) <= flat.size(1) ? flat.mm(flat.t()) : flat.t().mm(flat);
    EXPECT_TRUE(allclose(products, eye(side) * 4, 0, 1e-5));
  };
  check({4, 7}, 4);
  check({7, 4}, 4);
  check({3, 2, 2}, 3);
  EXPECT_TRUE(init::eye_(empty({2, 3})).equal(eye(2, 3)));
}

TEST(Initialization, IsSkippedWhileAGuardLives) {
  const Tensor x = full({2, 3}, 7);
  {
    const init::SkipGuard outer;
    { const init::SkipGuard inner; }
    for (const auto fill : {init::zeros_, init::ones_, init::eye_}) fill(x);
    init::uniform_(x), init::normal_(x), init::trunc_normal_(x), init::xavier_uniform_(x),
        init::kaiming_normal_(x), init::orthogonal_(x);
    EXPECT_TRUE(x.equal(full({2, 3}, 7)));
    EXPECT_THROW(init::xavier_uniform_(x[0]), ShapeError);
  }
  EXPECT_TRUE(init::ones_(x).equal(ones({2, 3})));
}

}  // namespace
}  // namespace notape::nn
