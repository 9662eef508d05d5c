// Plans are made once for a problem, and few are kept.
#include "cuda/cudnn/plan.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "cuda/cudnn/handle.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

const Device kGpu(kCUDA);

/// How many plans a convolution of the image makes.
std::size_t made_for(const Tensor& image, const Tensor& filter) {
  const PlanCounts before = plan_counts();
  conv2d(image, filter);
  const PlanCounts after = plan_counts();
  EXPECT_GT(after.made + after.found, before.made + before.found);
  return after.made - before.made;
}

TEST(CudnnPlan, IsMadeOnceForAProblem) {
  const Tensor w = ones({2, 3, 2, 2}).to(kGpu);
  const auto image = [](const std::vector<int64_t>& sizes, ScalarType type = kFloat32) {
    return ones(sizes, type).to(kGpu);
  };
  EXPECT_EQ(made_for(image({1, 3, 11, 7}), w), 1u);
  EXPECT_EQ(made_for(image({1, 3, 11, 7}), w), 0u);
  EXPECT_EQ(made_for(image({2, 3, 11, 7}), w), 1u);
  EXPECT_EQ(made_for(image({1, 3, 11, 7}, kFloat16), w.to(kFloat16)), 1u);
  const DeterministicGuard guard;
  EXPECT_EQ(made_for(image({1, 3, 11, 7}), w), 1u);
}

TEST(CudnnPlan, DoesNotDependOnStridesThatSayNothing) {
  const Tensor w = ones({2, 3, 2, 1}).to(kGpu);
  const Tensor x = ones({1, 3, 12, 1}).to(kGpu);
  EXPECT_EQ(made_for(x, w), 1u);
  EXPECT_EQ(made_for(x.as_strided({1, 3, 12, 1}, {5, 12, 1, 77}), w), 0u);
  EXPECT_EQ(made_for(x.as_strided({1, 3, 12, 1}, {36, 1, 3, 1}), w), 1u);  // channels last
}

TEST(CudnnPlan, IsOneOfALimitedNumber) {
  const Operation op("test", SourceLocation());
  const Handle handle(op, kGpu);
  PlanKey key{.product = Product::Response,
              .dtype = kFloat32,
              .device = 0,
              .is_deterministic = false,
              .allows_tf32 = false,
              .image = {1, 1, 1, 1},
              .image_strides = {1, 1, 1, 1},
              .filter = {1, 1, 1, 1},
              .response = {1, 1, 1, 1},
              .response_strides = {1, 1, 1, 1},
              .stride = {1, 1},
              .padding = {0, 0},
              .dilation = {1, 1},
              .groups = 1};
  const auto first = plan_for(op, handle, key);
  for (int size = 2; size < 1500; ++size) {
    key.image[0] = key.response[0] = size;
    plan_for(op, handle, key);
    ASSERT_LE(plan_counts().kept, kMostPlans);
  }
  EXPECT_FALSE(first->listed().empty());  // who has one keeps it
  key.image[0] = key.response[0] = 1499;
  EXPECT_EQ(plan_for(op, handle, key), plan_for(op, handle, key));
}

}  // namespace
}  // namespace notape::cuda
