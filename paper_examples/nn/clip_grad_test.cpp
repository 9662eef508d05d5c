#include "paper_examples/nn/clip_grad.h"

#include <gtest/gtest.h>

#include <limits>

#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"

namespace notape::nn::utils {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Gradients (3, 0) and (-4), and a parameter without.
std::vector<Tensor> parameters() {
  std::vector<Tensor> all = {zeros({2}, kFloat64), zeros({1}, kFloat64), zeros({1}, kFloat64)};
  all[0].set_grad(tensor({3., 0.}).to(kFloat64));
  all[1].set_grad(tensor({-4.}).to(kFloat64));
  return all;
}

TEST(ClipGrad, TheNormOfAllTogetherIsAtMostTheLargest) {
  auto all = parameters();
  EXPECT_EQ(clip_grad_norm_(all, 10), 5);
  EXPECT_EQ(all[1].grad().item(), -4);
  EXPECT_EQ(clip_grad_norm_(all, 1), 5);
  EXPECT_NEAR(all[0].grad().select(0, 0).item(), 3 / 5.000001, 1e-15);
  EXPECT_NEAR(clip_grad_norm_(all, 1), 1, 1e-6);
  EXPECT_EQ(clip_grad_norm_(parameters(), 100, 1), 7);
  EXPECT_EQ(clip_grad_norm_(parameters(), 100, kInfinity), 4);
  EXPECT_EQ(clip_grad_norm_(std::vector<Tensor>{}, 1), 0);
  all = parameters();
  all.push_back(zeros({2, 0}, kFloat64));
  all.back().set_grad(zeros({2, 0}, kFloat64));
  EXPECT_EQ(clip_grad_norm_(all, 100, kInfinity), 4);
  EXPECT_EQ(clip_grad_norm_(all.back(), 100, kInfinity), 0);
}

TEST(ClipGrad, ANormThatIsNotFiniteCanBeAnErrorThatChangesNothing) {
  auto all = parameters();
  all[1].grad().fill_(kInfinity);
  EXPECT_THROW(clip_grad_norm_(all, 1, 2, true), ValueError);
  EXPECT_EQ(all[0].grad().select(0, 0).item(), 3);
  EXPECT_EQ(clip_grad_norm_(all, 1), kInfinity);
  EXPECT_EQ(all[0].grad().select(0, 0).item(), 0);
}

TEST(ClipGrad, ValuesAreClampedOneByOne) {
  auto all = parameters();
  clip_grad_value_(all, 3.5);
  EXPECT_EQ(all[0].grad().select(0, 0).item(), 3);
  EXPECT_EQ(all[1].grad().item(), -3.5);
}

TEST(ClipGrad, ChangesNothingWhereOneGradientMustNotBeWritten) {
  auto all = parameters();
  all[2] = zeros({3}, kFloat64);
  all[2].set_grad(ones({1}, kFloat64).expand({3}));
  EXPECT_THROW(clip_grad_norm_(all, 1), MemoryOverlap);
  EXPECT_THROW(clip_grad_value_(all, 1), MemoryOverlap);
  EXPECT_EQ(all[0].grad().select(0, 0).item(), 3);
  EXPECT_NO_THROW(clip_grad_norm_(all, 100)) << "nothing is to be written";
}

TEST(ClipGrad, InTwoStepsItIsTheSameWithoutANumber) {
  for (const double max_norm : {1.0, 100.0}) {
    const auto once = parameters(), twice = parameters();
    clip_grad_norm_(once, max_norm);
    const std::vector<Tensor> gradients = {twice[0].grad(), Tensor(), twice[1].grad()};
    const Tensor norm = get_total_norm(gradients);
    EXPECT_EQ(norm.item(), 5);
    clip_grads_with_norm_(twice, max_norm, norm);
    for (std::size_t i = 0; i < once.size(); ++i) {
      ASSERT_EQ(twice[i].grad().defined(), once[i].grad().defined()) << i;
      if (once[i].grad().defined()) {
        EXPECT_TRUE(allclose(twice[i].grad(), once[i].grad(), 1e-15, 0)) << i;
      }
    }
  }
  EXPECT_EQ(get_total_norm({}).item(), 0);
}

TEST(ClipGrad, TheNormOfGradientsOnSeveralDevicesIsOneNumber) {
  sim::use_simulated_device();
  auto all = parameters();
  all[1] = all[1].to(kSIM);
  all[1].set_grad(tensor({-4.}).to(kFloat64).to(kSIM));
  EXPECT_EQ(clip_grad_norm_(all, 1), 5);
  EXPECT_NEAR(all[1].grad().item(), -4 / 5.000001, 1e-15);
  EXPECT_NEAR(clip_grad_norm_({all[1], all[0]}, 1), 1, 1e-6);
}

}  // namespace
}  // namespace notape::nn::utils
