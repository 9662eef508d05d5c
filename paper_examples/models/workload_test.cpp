// Whole models: steps of training lower the loss, and are the same on another device. (The loss's
// gradient: command/verify_models_test.cpp)
#include "paper_examples/models/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuda/sim/simulated_device.h"
#include "ops/ops.h"

namespace notape::models {
namespace {

class EveryWorkload : public ::testing::TestWithParam<std::string> {
 protected:
  EveryWorkload() {
    manual_seed(1);
    workload_ = find_workload(GetParam()).make(Scale::Tiny);
  }
  Workload workload_;
};

TEST_P(EveryWorkload, LearnsABatchByHeart) {
  const Workload::Batch batch = workload_.draw_batch(4);
  const auto optimizer = workload_.make_optimizer();
  const double first = train_step(workload_, batch, *optimizer).item();
  // Where batch norm sees four numbers, a rounding decides which step jumps: not the last alone.
  std::vector<double> losses;
  for (int i = 0; i < 20; ++i) losses.push_back(train_step(workload_, batch, *optimizer).item());
  std::sort(losses.end() - 5, losses.end());
  EXPECT_LT(losses[17], first);
}

/// The losses of three steps, then all parameters.
std::vector<Tensor> trained_on(Device device, const WorkloadKind& kind) {
  manual_seed(1);
  const Workload workload = kind.make(Scale::Tiny);
  workload.model->to(device);
  const Workload::Batch batch = moved(workload, workload.draw_batch(4), device);
  const auto optimizer = workload.make_optimizer();
  std::vector<Tensor> result;
  for (int i = 0; i < 3; ++i) result.push_back(train_step(workload, batch, *optimizer).cpu());
  for (const Tensor& parameter : workload.model->parameters()) {
    EXPECT_EQ(parameter.device(), device);
    result.push_back(parameter.cpu());
  }
  return result;
}

TEST_P(EveryWorkload, TrainsBitForBitTheSameOnASimulatedDevice) {
  sim::use_simulated_device();
  const WorkloadKind& kind = find_workload(GetParam());
  const std::vector<Tensor> here = trained_on(kCPU, kind), there = trained_on(kSIM, kind);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_TRUE(here[i].equal(there[i])) << i;
}

/// As on a GPU, which has few kernels that are only there to save time.
TEST_P(EveryWorkload, TrainsOnASimulatedDeviceWithoutFusedKernels) {
  sim::use_simulated_device().offer_fused_kernels(false);
  const WorkloadKind& kind = find_workload(GetParam());
  const double here = trained_on(kCPU, kind)[0].item(), there = trained_on(kSIM, kind)[0].item();
  EXPECT_NEAR(here, there, 1e-5 * std::abs(here));
  sim::use_simulated_device().offer_fused_kernels(true);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryWorkload, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const WorkloadKind& kind : workloads()) names.push_back(kind.name);
                           return names;
                         }()),
                         [](const auto& workload) { return workload.param; });

TEST(Workload, ANameThatThereIsNotIsRefusedWithThoseThereAre) {
  EXPECT_THROW(find_workload("alexnet2"), ValueError);
}

}  // namespace
}  // namespace notape::models
