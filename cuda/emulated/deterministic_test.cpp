// In deterministic mode sums at repeated positions have the same bits each time, and the CPU's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape {
namespace {

/// 40 rows added to 3 of 4, in float32 numbers whose sum depends on the order.
Tensor sum_of_rows(Device device, ScalarType type) {
  manual_seed(5);
  const Tensor rows = (randn({40, 7}) * 100).to(type).to(device);
  const Tensor positions = (arange(40) * 7 % 3).to(kInt64).to(device);
  return index_add(zeros({4, 7}, TensorOptions(type).device(device)), 0, positions, rows).cpu();
}

TEST(DeterministicOnGpu, SumsAtRepeatedPositionsAreAddedInTheirOrder) {
  const DeterministicGuard guard;
  emulator::set_order(emulator::Order::Random, 3);
  for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16, kInt32}) {
    const Tensor first = sum_of_rows(kCUDA, type);
    EXPECT_TRUE(allclose(first.to(kFloat64), sum_of_rows(kCPU, type).to(kFloat64), 1e-2, 1e-2));
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(equal(sum_of_rows(kCUDA, type), first)) << i;
  }
  emulator::set_order(emulator::Order::Eager);
  EXPECT_THAT(emulator::take_findings(), ::testing::IsEmpty());
}

TEST(DeterministicOnGpu, OtherwiseTheirBitsMayChange) {
  const Tensor first = sum_of_rows(kCUDA, kFloat32);
  int others = 0;
  for (int i = 0; i < 20; ++i) others += !equal(sum_of_rows(kCUDA, kFloat32), first);
  EXPECT_GT(others, 0);
}

TEST(DeterministicOnGpu, AWrongPositionIsToldThereToo) {
  const DeterministicGuard guard;
  const Tensor weight = ones({4, 2}, kCUDA).requires_grad_();
  const Tensor wrong = full({3}, 4, TensorOptions(kInt64).device(kCUDA));
  EXPECT_THROW(index_add(zeros({4, 2}, kCUDA), 0, wrong, ones({3, 2}, kCUDA)).cpu(), IndexError);
  const Tensor right = full({3}, 2, TensorOptions(kInt64).device(kCUDA));
  embedding(weight, right).sum().backward();
  EXPECT_TRUE(equal(weight.grad().cpu(),
                    tensor({0., 0., 0., 0., 3., 3., 0., 0.}).view({4, 2}).to(kFloat32)));
}

TEST(DeterministicOnGpu, IntegersOfEightBitsAreAddedThere) {
  const Tensor at = full({3}, 1, TensorOptions(kInt64).device(kCUDA));
  const Tensor sum = index_add(zeros({2}, TensorOptions(kUInt8).device(kCUDA)), 0, at,
                               full({3}, 100, TensorOptions(kUInt8).device(kCUDA)));
  EXPECT_EQ(sum.cpu()[1].item<int>(), 300 % 256);
}

}  // namespace
}  // namespace notape
