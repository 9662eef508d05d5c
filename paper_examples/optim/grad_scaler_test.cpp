#include "paper_examples/optim/grad_scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/tensor/autocast_mode.h"
#include "ops/ops.h"
#include "paper_examples/optim/sgd.h"

namespace notape::amp {
namespace {

constexpr double kScalerInfinity = std::numeric_limits<double>::infinity();

struct OneWeight {
  Tensor w = ones({2}, requires_grad());
  optim::SGD sgd{{w}, optim::SGDOptions(0.5)};

  void set_gradient(const std::vector<double>& values) {
    w.mutable_grad() = tensor(values, kFloat32);
  }
  std::vector<double> gradient() const { return {w.grad()[0].item(), w.grad()[1].item()}; }
};

GradScalerOptions options_of_interval(int64_t steps) {
  return {.init_scale = 8, .growth_interval = steps};
}

TEST(GradScaler, ScalesTheLossAndUnscalesGradients) {
  OneWeight model;
  GradScaler scaler(options_of_interval(10));
  const Tensor loss = (model.w * model.w).sum();
  scaler.scale(loss).backward();
  EXPECT_EQ(model.gradient(), (std::vector<double>{16, 16}));
  EXPECT_EQ(scaler.scale(TensorList{loss, loss})[1].item(), 16);
  scaler.unscale_(model.sgd);
  EXPECT_EQ(model.gradient(), (std::vector<double>{2, 2}));
  EXPECT_TRUE(scaler.step(model.sgd));
  EXPECT_EQ(model.w[0].item(), 0);
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 8);
}

TEST(GradScaler, LeavesOutAStepOfInfiniteGradientsAndScalesLess) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {kScalerInfinity, -kScalerInfinity, nan}) {
    OneWeight model;
    GradScaler scaler(options_of_interval(10));
    model.set_gradient({1, bad});
    EXPECT_FALSE(scaler.step(model.sgd));
    EXPECT_EQ(model.w[0].item(), 1);
    scaler.update();
    EXPECT_EQ(scaler.get_scale(), 4);
    model.set_gradient({4, 4});
    EXPECT_TRUE(scaler.step(model.sgd));
    EXPECT_EQ(model.w[0].item(), 0.5);
  }
}

TEST(GradScaler, ScalesMoreAfterSoManyGoodSteps) {
  OneWeight model;
  GradScaler scaler(options_of_interval(2));
  const auto step = [&](double gradient) {
    model.set_gradient({gradient, 0});
    scaler.step(model.sgd);
    scaler.update();
    return scaler.get_scale();
  };
  EXPECT_EQ(step(1), 8);
  EXPECT_EQ(step(1), 16);
  EXPECT_EQ(step(1), 16);
  EXPECT_EQ(step(kScalerInfinity), 8);  // which begins the count again
  EXPECT_EQ(step(1), 8);
  EXPECT_EQ(step(1), 16);
  scaler.unscale_(model.sgd);
  scaler.update(3e38);
  step(0);
  EXPECT_EQ(step(0), static_cast<double>(3e38f));  // twice that is infinite
}

TEST(GradScaler, SeesAllOptimizers) {
  OneWeight good, bad;
  GradScaler scaler(options_of_interval(1));
  good.set_gradient({1, 1});
  bad.set_gradient({1, kScalerInfinity});
  EXPECT_TRUE(scaler.step(good.sgd));
  EXPECT_FALSE(scaler.step(bad.sgd));
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 4);
}

TEST(GradScaler, RefusesCallsThatAreOutOfPlace) {
  OneWeight model;
  GradScaler scaler;
  EXPECT_THROW(scaler.update(), ValueError);
  EXPECT_THROW(scaler.step(model.sgd), ValueError);  // no gradient
  scaler.update();
  model.set_gradient({1, 1});
  scaler.unscale_(model.sgd);
  EXPECT_THROW(scaler.unscale_(model.sgd), ValueError);
  scaler.step(model.sgd);
  EXPECT_THROW(scaler.step(model.sgd), ValueError);
  EXPECT_THROW(scaler.unscale_(model.sgd), ValueError);
  const Tensor half = ones({2}, kFloat16).requires_grad_();
  half.mutable_grad() = ones({2}, kFloat16);
  optim::SGD sgd({half}, optim::SGDOptions(1));
  EXPECT_THROW(scaler.unscale_(sgd), ValueError);
  EXPECT_THROW(GradScaler({.growth_factor = 1}), ValueError);
  EXPECT_THROW(GradScaler({.backoff_factor = 1}), ValueError);
  EXPECT_THROW(GradScaler({.init_scale = 0}), ValueError);
}

TEST(GradScaler, DoesNothingWhenItIsNotEnabled) {
  OneWeight model;
  GradScaler scaler({.enabled = false});
  const Tensor loss = model.w.sum();
  EXPECT_TRUE(scaler.scale(loss).is_same(loss));
  model.set_gradient({1, kScalerInfinity});
  EXPECT_TRUE(scaler.step(model.sgd));
  EXPECT_EQ(model.w[0].item(), 0.5);
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 1);
  EXPECT_TRUE(scaler.state_dict().empty());
}

TEST(GradScaler, GoesOnFromItsState) {
  OneWeight model;
  GradScaler first(options_of_interval(2)), second;
  model.set_gradient({1, 1});
  first.step(model.sgd);
  first.update();
  second.load_state_dict(first.state_dict());
  model.set_gradient({1, 1});
  second.step(model.sgd);
  second.update();
  EXPECT_EQ(second.get_scale(), 16);
  NamedTensors state = first.state_dict();
  state.erase("_growth_tracker");
  EXPECT_THROW(second.load_state_dict(state), ValueError);
  state = first.state_dict();
  state.at("growth_factor") = full({}, 0.5);
  EXPECT_THROW(second.load_state_dict(state), ValueError);
  EXPECT_EQ(second.get_scale(), 16);
}

/// The loss after training a small net on points of two rings.
double trained_loss(std::optional<ScalarType> low) {
  manual_seed(3);
  const Tensor angle = rand({256}) * 6.283, label = (arange(256) % 2).to(kInt64);
  const Tensor radius = label.to(kFloat32) + 0.5;
  const Tensor x = stack({radius * cos(angle), radius * sin(angle)}, 1);
  const Tensor w1 = (randn({32, 2}) * 0.5).requires_grad_(), b1 = zeros({32}, requires_grad()),
               w2 = (randn({2, 32}) * 0.2).requires_grad_(), b2 = zeros({2}, requires_grad());
  optim::SGD sgd({w1, b1, w2, b2}, optim::SGDOptions(0.1).momentum(0.9));
  GradScaler scaler({.growth_interval = 50, .enabled = low == kFloat16});
  Tensor loss;
  for (int i = 0; i < 200; ++i) {
    sgd.zero_grad();
    {
      const AutocastMode autocast = low ? AutocastMode(kCPU, low) : AutocastMode::disabled(kCPU);
      loss = cross_entropy(linear(relu(linear(x, w1, b1)), w2, b2), label);
    }
    scaler.scale(loss).backward();
    scaler.step(sgd);
    scaler.update();
  }
  return loss.item();
}

TEST(GradScaler, TrainsInLowPrecisionToTheLossOfFloat32) {
  const double wide = trained_loss({});
  EXPECT_LT(wide, 0.02);
  for (const ScalarType low : {kFloat16, kBFloat16}) {
    const double loss = trained_loss(low);
    EXPECT_NE(loss, wide);
    EXPECT_NEAR(loss, wide, 0.005) << name_of(low);
  }
}

}  // namespace
}  // namespace notape::amp
