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

}  // namespace
}  // namespace notape::optim
