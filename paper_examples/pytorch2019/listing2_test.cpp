// Listing 2 of the 2019 paper. EveryExample (examples_test.cpp) shows what its literal form adds
// up, and trains a few epochs.
#include "paper_examples/pytorch2019/listing2.h"

#include <gmock/gmock.h>

#include <sstream>

#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/optim/adam.h"

namespace notape::paper {
namespace {

/// G moves normal numbers by two parameters; D is a small net. Both see one step of the listing.
struct OneDimensionalGan {
  Tensor fake(int64_t count) const { return generator(randn({count, 1})); }
  nn::Linear generator = nn::Linear(1, 1);
  nn::Sequential discriminator =
      nn::Sequential(nn::Linear(1, 32), nn::LeakyReLU(0.2), nn::Linear(32, 1));
};

Tensor loss(const Tensor& logits, double label) {
  return binary_cross_entropy_with_logits(logits, full_like(logits, label));
}

TEST(Listing2, C10_TheFakeErrorOfTheDiscriminatorLeavesTheGeneratorAlone) {
  manual_seed(0);
  const OneDimensionalGan gan;
  const Tensor fake = gan.fake(8);
  loss(gan.discriminator(fake.detach()), 0).backward();
  for (const Tensor& parameter : gan.generator->parameters())
    EXPECT_FALSE(parameter.grad().defined());
  loss(gan.discriminator(fake), 1).backward();
  for (const Tensor& parameter : gan.generator->parameters())
    EXPECT_TRUE(parameter.grad().defined());
}

TEST(Listing2, C10_TwoHundredStepsFindTheMeanOfAGaussian) {
  manual_seed(1);
  const OneDimensionalGan gan;
  optim::Adam optimD(gan.discriminator->parameters(), optim::AdamOptions(1e-2).betas({0.5, 0.999}));
  optim::Adam optimG(gan.generator->parameters(), optim::AdamOptions(2e-2).betas({0.5, 0.999}));
  for (int step = 0; step < 200; ++step) {
    optimD.zero_grad();
    loss(gan.discriminator(4 + 1.25 * randn({256, 1})), 1).backward();
    const Tensor fake = gan.fake(256);
    loss(gan.discriminator(fake.detach()), 0).backward();
    optimD.step();
    optimG.zero_grad();
    loss(gan.discriminator(fake), 1).backward();
    optimG.step();
  }
  EXPECT_NEAR(gan.fake(10'000).mean().item(), 4, 0.5);
}

TEST(Listing2, IsTrainedTheSameOnAnotherDevice) {
  manual_seed(3);
  const Tensor classes = arange(10).repeat({20});
  const data::Dataset digits{2 * rand({200, 64}) - 1, classes};
  const DigitJudge judge(digits, 1);
  sim::use_simulated_device();
  const auto trained_on = [&](Device device) {
    std::ostringstream out;
    return train_listing2(out, digits, judge, {.seed = 1, .epochs = 2, .device = device}).samples;
  };
  const Tensor samples = trained_on(kSIM);
  EXPECT_TRUE(samples.is_cpu());
  EXPECT_TRUE(samples.equal(trained_on(kCPU)));
}

TEST(DigitJudge, ScoresOneImageOneAndDifferentOnesMore) {
  manual_seed(0);
  // Ten classes, each a pixel of its own.
  const Tensor classes = arange(10).repeat({40});
  const data::Dataset digits{2 * one_hot(classes, 64).to(kFloat32) - 1, classes};
  const DigitJudge judge(digits, 60);
  EXPECT_EQ(judge.accuracy(digits), 1);
  const Score all = judge.score(digits.data), one = judge.score(digits.data.narrow(0, 0, 1));
  EXPECT_GT(all.inception, 8);
  EXPECT_LE(all.inception, 10);
  EXPECT_NEAR(all.smallest_share, 0.1, 1e-12);
  EXPECT_NEAR(one.inception, 1, 1e-12);
  EXPECT_EQ(one.smallest_share, 0);
}

}  // namespace
}  // namespace notape::paper
