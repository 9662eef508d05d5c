#include "cuda/sim/simulated_device.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <tuple>

#include "autograd/error.h"
#include "ops/ops.h"

namespace notape::sim {
namespace {

const Device kSim(kSIM);

TEST(SimulatedDevice, ComputesWithTheKernelsOfTheCpu) {
  use_simulated_device();
  manual_seed(1);
  const Tensor x = randn({40, 30}), y = randn({30, 20});
  const Tensor a = x.to(kSim).requires_grad_(), b = x.clone().requires_grad_();
  const auto f = [](const Tensor& in, const Tensor& other) {
    const Tensor h = tanh(mm(in, other)).to(kBFloat16).to(kFloat32);
    return (softmax(h, 1) * h.cumsum(0) + std::get<0>(h.sort(1)).flip({0})).mean() + h.amax();
  };
  const Tensor there = f(a, y.to(kSim)), here = f(b, y);
  EXPECT_EQ(there.device(), kSim);
  EXPECT_TRUE(there.cpu().equal(here));
  there.backward();
  here.backward();
  EXPECT_EQ(a.grad().device(), kSim);
  EXPECT_TRUE(a.grad().cpu().equal(b.grad()));
}

TEST(SimulatedDevice, RefusesTensorsOfSeveralDevices) {
  use_simulated_device();
  const Tensor x = ones({3}), y = ones({3}, kSim);
  EXPECT_THROW(x + y, DeviceError);
  EXPECT_THROW(mm(ones({2, 2}), ones({2, 2}, kSim)), DeviceError);
  EXPECT_TRUE((y * scalar_tensor(2)).cpu().equal(x * 2));  // as on a GPU
}

TEST(SimulatedDeviceDeathTest, ItsMemoryIsClosedBetweenKernels) {
  if (!use_simulated_device().closes_memory()) GTEST_SKIP() << "this system has no large pages";
  const Tensor x = ones({3}, kSim);
  EXPECT_EQ(x.sum().item(), 3);
  EXPECT_DEATH(*static_cast<volatile float*>(x.impl().data()) = 1, "");
}

TEST(SimulatedDevice, MergesFreeMemoryAndSaysWhenThereIsNoMore) {
  SimulatedDevice device(1 << 21);
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(device.allocate(1 << 17, 0));
  EXPECT_EQ(device.bytes_in_use(), std::size_t{1} << 21);
  EXPECT_THROW(device.allocate(1, 0), OutOfMemory);
  for (const int i : {3, 1, 0, 2, 5, 4})
    device.deallocate(blocks[static_cast<std::size_t>(i)], 1 << 17, 0);
  EXPECT_EQ(device.allocate(6 << 17, 0), blocks[0]);
  EXPECT_THROW(device.allocate(SIZE_MAX, 0), OutOfMemory);
  EXPECT_EQ(device.allocate(0, 0), nullptr);
  device.deallocate(nullptr, 0, 0);
}

TEST(SimulatedDevice, CopiesFromPinnedMemoryAreDoneBeforeTheyAreMissed) {
  use_simulated_device();
  for (int i = 0; i < 3; ++i) {
    const Tensor x = full({100}, i).pin_memory(kSIM);
    const Tensor there = x.to(kSim, /*non_blocking=*/true);
    if (i == 0) x.fill_(7);
    EXPECT_EQ((there + there).sum().item(), 200 * i);
  }
}

/// In the place of a GPU, as long as the object is there.
struct AsCuda {
  AsCuda() { register_device(kCUDA, &device); }
  ~AsCuda() { register_device(kCUDA, nullptr); }
  SimulatedDevice device;
};

TEST(SimulatedDevice, CopiesAtOnceWhatIsPinnedForAnotherDevice) {
  if (device_count(kCUDA) > 0) GTEST_SKIP() << "there is a GPU";
  use_simulated_device();
  const AsCuda cuda;
  const Tensor x = full({100}, 3.0).pin_memory();
  const Tensor there = x.to(kSim, /*non_blocking=*/true);
  x.fill_(7);
  EXPECT_EQ(there.sum().item(), 300);
}

TEST(SimulatedDevice, ServesThreads) {
  use_simulated_device();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        const Tensor x =
            full({1000}, 1.0 * (t + i)).pin_memory(kSIM).to(kSim, true).requires_grad_();
        (x * x).sum().backward();
        EXPECT_EQ(x.grad().cpu()[0].item(), 2 * (t + i));
      }
    });
}

}  // namespace
}  // namespace notape::sim
