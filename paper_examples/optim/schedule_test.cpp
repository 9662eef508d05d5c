#include "paper_examples/optim/schedule.h"

#include <gmock/gmock.h>

#include "ops/ops.h"
#include "paper_examples/optim/sgd.h"

namespace notape::optim {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

/// The rate of 0.8 before the first step and after each.
template <typename Schedule, typename... Arguments>
std::vector<double> rates(int steps, Arguments... arguments) {
  SGD optimizer(std::vector<Tensor>{ones({1}, requires_grad())}, 0.8);
  Schedule schedule(optimizer, arguments...);
  std::vector<double> result = schedule.get_last_lr();
  for (int i = 0; i < steps; ++i) {
    schedule.step();
    result.push_back(schedule.get_last_lr()[0]);
  }
  return result;
}

void expect(const std::vector<double>& seen, const std::vector<double>& expected) {
  EXPECT_THAT(seen, Pointwise(DoubleNear(1e-15), expected));
}

// Expected: torch.optim.lr_scheduler of PyTorch 2.15.
TEST(Schedule, RatesAreThoseOfPyTorch) {
  expect(rates<StepLR>(8, 3, 0.5), {0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2});
  expect(rates<MultiStepLR>(8, std::vector<int64_t>{2, 5}, 0.5),
         {0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.2});
  expect(rates<ExponentialLR>(4, 0.5), {0.8, 0.4, 0.2, 0.1, 0.05});
  expect(rates<CosineAnnealingLR>(6, 6, 0.2),
         {0.8, 0.7598076211353316, 0.65, 0.5, 0.35, 0.24019237886466838, 0.2});
  expect(rates<LinearLR>(6, 0.25, 1.0, 4), {0.2, 0.35, 0.5, 0.65, 0.8, 0.8, 0.8});
  expect(rates<LambdaLR>(3, [](int64_t step) { return 1.0 / static_cast<double>(1 + step); }),
         {0.8, 0.4, 0.8 / 3, 0.2});
}

TEST(Schedule, FollowsAnotherFromAMilestoneOn) {
  SGD optimizer(std::vector<Tensor>{ones({1}, requires_grad())}, 0.8);
  SequentialLR schedule(optimizer,
                        {std::make_shared<LinearLR>(optimizer, 0.25, 1.0, 2),
                         std::make_shared<CosineAnnealingLR>(optimizer, 4)},
                        {2});
  std::vector<double> seen = schedule.get_last_lr();
  for (int i = 0; i < 6; ++i) {
    schedule.step();
    seen.push_back(schedule.get_last_lr()[0]);
  }
  expect(seen, {0.2, 0.5, 0.8, 0.4 + 0.4 * std::sqrt(0.5), 0.4, 0.4 - 0.4 * std::sqrt(0.5), 0});
  EXPECT_THROW(SequentialLR(optimizer, {}, {}), ValueError);
  EXPECT_THROW(SequentialLR(optimizer, {nullptr, nullptr, nullptr}, {5, 2}), ValueError);
}

TEST(Schedule, MayBeMadeAfterTheStateOfAScheduledOptimizerIsLoaded) {
  const std::vector<Tensor> parameters{ones({1}, requires_grad())};
  SGD first(parameters, 1), second(parameters, 1);
  CosineAnnealingLR before(first, 100);
  before.step(60);
  second.load_state_dict(first.state_dict());
  CosineAnnealingLR after(second, 100);
  after.step(60);
  EXPECT_EQ(after.get_last_lr(), before.get_last_lr());
  // The user's word counts, and a state without schedules is one.
  second.param_groups()[0].options().set_lr(0.5);
  CosineAnnealingLR anew(second, 100);
  EXPECT_EQ(anew.get_last_lr(), std::vector<double>{0.5});
  second.load_state_dict(SGD(parameters, 0.25).state_dict());
  EXPECT_EQ(CosineAnnealingLR(second, 100).get_last_lr(), std::vector<double>{0.25});
}

TEST(Schedule, GoesOnFromARateThatIsSetByHand) {
  SGD optimizer(std::vector<Tensor>{ones({1}, requires_grad())}, 1);
  StepLR schedule(optimizer, 3, 0.1);
  std::vector<double> seen;
  for (int i = 0; i < 5; ++i) {
    schedule.step();
    if (i == 0) optimizer.param_groups()[0].options().set_lr(0.5);
    seen.push_back(schedule.get_last_lr()[0]);
  }
  expect(seen, {0.5, 0.5, 0.05, 0.05, 0.05});  // LibTorch's, decayed a step earlier
}

TEST(Schedule, GoesOnFromAnyStepAndWithGroupsThatCameLater) {
  SGD optimizer(std::vector<Tensor>{ones({1}, requires_grad())}, 0.8);
  StepLR schedule(optimizer, 2, 0.5);
  optimizer.add_param_group({{ones({1}, requires_grad())}});
  optimizer.param_groups()[1].options().set_lr(4);
  schedule.step(5);
  EXPECT_EQ(schedule.get_last_lr(), (std::vector<double>{0.2, 1}));
  EXPECT_EQ(schedule.last_epoch(), 5);
}

TEST(Schedule, RefusesWhatIsNoSchedule) {
  EXPECT_THROW(rates<StepLR>(1, 0), ValueError);
  EXPECT_THROW(rates<CosineAnnealingLR>(1, 0), ValueError);
  EXPECT_THROW(rates<LinearLR>(1, 0.0), ValueError);
}

/// The rates after each metric, from 0.8 on.
std::vector<double> rates_after(const std::vector<double>& metrics,
                                const ReduceLROnPlateauOptions& options) {
  SGD optimizer(std::vector<Tensor>{ones({1}, requires_grad())}, 0.8);
  ReduceLROnPlateau plateau(optimizer, options);
  std::vector<double> result;
  for (const double metric : metrics) {
    plateau.step(metric);
    result.push_back(optimizer.param_groups()[0].options().get_lr());
  }
  return result;
}

// Expected: PyTorch 2.15.
TEST(Schedule, OnAPlateauRatesAreThoseOfPyTorch) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect(rates_after({1, .5, .5, .6, .5, .4, .4, .4, .4, .4}, {.factor = 0.5, .patience = 1}),
         {0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.4, 0.2, 0.2, 0.1});
  expect(
      rates_after({1, 2, 2, 2.0001, 2, 2, 2, 2, 2, 2},
                  {.largest = true, .factor = 0.5, .patience = 0, .cooldown = 2, .min_lr = 0.15}),
      {0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.15, 0.15});
  expect(rates_after({1, .95, .9, .85, .8, nan, nan},
                     {.factor = 0.5, .patience = 1, .threshold = 0.2, .is_relative = false}),
         {0.8, 0.8, 0.4, 0.4, 0.2, 0.2, 0.1});
  EXPECT_THROW(rates_after({}, {.factor = 1}), ValueError);
}

}  // namespace
}  // namespace notape::optim
