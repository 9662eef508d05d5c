// Pinned memory, and copies out of it that are still under way: on a device that does them as late
// as it may.
#include "autograd/testing/expect.h"
#include "autograd/testing/sim_device.h"
#include "ops/ops.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

const Device kSim(kSIM);

TEST(PinMemory, CopiesOnceAndOnlyOnce) {
  SimDevice device;
  const Tensor x = arange(6, kFloat64).reshape({2, 3}).t();
  EXPECT_FALSE(x.is_pinned());
  {
    const Tensor y = x.pin_memory(kSIM);
    EXPECT_TRUE(y.is_pinned());
    EXPECT_TRUE(y.is_cpu());
    EXPECT_TRUE(y.equal(x));
    EXPECT_EQ(y.strides(), x.strides());
    EXPECT_FALSE(y.is_alias_of(x));
    EXPECT_TRUE(y.pin_memory(kSIM).is_same(y));
    EXPECT_TRUE(y.select(0, 1).is_pinned());
    EXPECT_FALSE(y.clone().is_pinned());
    EXPECT_TRUE(empty({0}).pin_memory(kSIM).is_pinned());
    EXPECT_EQ(device.pinned_blocks, 1);
  }
  EXPECT_EQ(device.pinned_blocks, 0);
}

TEST(PinMemory, IsWhatFactoriesAreAskedFor) {
  SimDevice device;
  const TensorOptions options = TensorOptions(kFloat64).pinned_memory(true);
  for (const Tensor& x :
       {empty({2}, options), zeros({2}, options), ones({2}, options), arange(2, options),
        rand({2}, options), tensor({1, 2}, options), tensor(std::vector<double>{1, 2}, options),
        full({2}, 3, options), zeros_like(ones({2}), options), empty_strided({2}, {1}, options)}) {
    EXPECT_TRUE(x.is_pinned());
    EXPECT_EQ(x.dtype(), kFloat64);
  }
  expect_values(ones({2}, options), {1, 1});
  EXPECT_EQ(device.pinned_blocks, 0);
  expect_error<DeviceError>("only memory of the CPU can be pinned",
                            [&] { zeros({2}, options.device(kSim)); });
}

TEST(PinMemory, IsForADeviceThatIsThere) {
  SimDevice device;
  const Tensor x = ones({2});
  EXPECT_TRUE(x.pin_memory(Device("sim:0")).is_pinned());
  expect_error<DeviceError>("for another device than the CPU", [&] { x.pin_memory(kCPU); });
  if (device_count(kCUDA) == 0)
    expect_error<DeviceError>("device cuda:0 is not available", [&] { x.pin_memory(kCUDA); });
}

TEST(PinMemory, PassesTheGradientOn) {
  SimDevice device;
  const Tensor x = constant({1, 2}).requires_grad_();
  const Tensor y = x.pin_memory(kSIM);
  EXPECT_EQ(y.grad_fn()->name(), "PinMemoryBackward0");
  y.mul(y).sum().backward();
  expect_values(x.grad(), {2, 4});
}

TEST(PinMemory, RefusesWhatIsNotTheCpus) {
  const Tensor x = ones({2});
  {
    SimDevice device;
    expect_error<DeviceError>("got a tensor on sim:0", [&] { x.to(kSim).pin_memory(kSIM); });
    expect_error<UndefinedTensor>("pin_memory", [] { pin_memory(Tensor()); });
    expect_error<BatchingNotImplemented>("pin_memory", [&] {
      autograd::functional::vmap([](const Tensor& one) { return one.pin_memory(kSIM); })(x);
    });
  }
  if (accelerator()) GTEST_SKIP() << "this machine has a device";
  expect_error<DeviceError>("there is no device beside the CPU", [&] { x.pin_memory(); });
  expect_error<DeviceError>("there is no device beside the CPU",
                            [] { zeros({2}, TensorOptions().pinned_memory(true)); });
}

TEST(NonBlocking, ACopyFromPinnedMemoryIsUnderWayOnReturn) {
  SimDevice device;
  const Tensor x = constant({1, 2, 3}).pin_memory(kSIM);
  const Tensor y = x.to(kSim, /*non_blocking=*/true);
  EXPECT_EQ(device.copies_under_way(), 1U);
  expect_values(y.cpu(), {1, 2, 3});
  EXPECT_EQ(device.copies_under_way(), 0U);
  const Tensor z = zeros({3}, TensorOptions(kFloat64).device(kSim));
  z.copy_(x, /*non_blocking=*/true);
  EXPECT_EQ(device.copies_under_way(), 1U);
  expect_values(z.cpu(), {1, 2, 3});
}

TEST(NonBlocking, EveryOtherCopyHasFinished) {
  SimDevice device;
  const Tensor x = constant({1, 2, 3}), pinned = x.pin_memory(kSIM);
  expect_values(x.to(kSim, true).cpu(), {1, 2, 3});
  const Tensor there = x.to(kSim);
  for (const Tensor& y :
       {x.to(kSim, true), pinned.to(kSim), pinned.to(kSim, kFloat32, true),
        pinned.expand({2, 3}).to(kSim, true), there.to(kCPU, true), pinned.to(kCPU, true, true)})
    EXPECT_EQ(device.copies_under_way(), 0U) << y;
}

TEST(NonBlocking, AWriteWaitsForCopiesThatStillReadTheMemory) {
  SimDevice device;
  Tensor x = constant({1, 2, 3}).pin_memory(kSIM);
  Tensor leaf = ones({3}, kFloat64).requires_grad_();
  leaf.mutable_grad() = x;
  const std::vector<std::function<void()>> writes = {
      [&] { leaf.sum().backward(); },
      [&] { leaf.slice(0, 0, 2).sum().backward(); },
      [&] { x.fill_(7); },
      [&] { x.select(0, 1).mul_(5); },
      [&] { x.index_put_({1}, 9); },
      [&] { x.copy_(zeros({3})); },
      [&] { add_out(x, x, x); },
  };
  for (const auto& write : writes) {
    const std::vector<double> before = values(x);
    const Tensor y = x.to(kSim, /*non_blocking=*/true);
    write();
    EXPECT_EQ(values(y.cpu()), before);
  }
}

TEST(NonBlocking, MemoryThatIsGivenBackIsReadFirst) {
  SimDevice device;
  const Tensor y = constant({1, 2, 3}).pin_memory(kSIM).to(kSim, /*non_blocking=*/true);
  constant({4, 5, 6}).pin_memory(kSIM);
  expect_values(y.cpu(), {1, 2, 3});
}

TEST(NonBlocking, TheGradientComesBack) {
  SimDevice device;
  const Tensor x = constant({1, 2}).requires_grad_();
  const Tensor y = x.pin_memory(kSIM).to(kSim, /*non_blocking=*/true);
  y.cpu().mul(3).sum().backward();
  expect_values(x.grad(), {3, 3});
}

}  // namespace
}  // namespace notape::testing
