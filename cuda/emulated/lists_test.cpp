// Lists of tensors are one launch, and numbers that the CPU makes for a GPU are not waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using emulator::Order;

class Lists : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_THAT(emulator::take_findings(), ::testing::IsEmpty());
    emulator::set_order(Order::Eager);
  }
};

TensorList on_gpu(const TensorList& tensors) {
  TensorList result;
  for (const Tensor& tensor : tensors) result.push_back(tensor.to(Device(kCUDA)));
  return result;
}

/// cat of tensors on the GPU, which is the CPU's and so many launches.
void expect_joined(const TensorList& tensors, int64_t dim, int launches) {
  const TensorList there = on_gpu(tensors);
  emulator::take_counts();
  const Tensor joined = cat(there, dim);
  EXPECT_EQ(emulator::take_counts().launches, launches);
  EXPECT_TRUE(joined.cpu().equal(cat(tensors, dim)));
}

TEST_F(Lists, AreJoinedByOneLaunch) {
  manual_seed(1);
  emulator::set_order(Order::Late);
  for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kUInt8, kBool}) {
    // Units of 1 to 16 bytes.
    for (const int64_t columns : {1, 2, 3, 4, 8, 16})
      for (const int64_t dim : {0, 1, 2}) {
        TensorList list;
        for (int64_t i = 0; i < 3; ++i) {
          std::vector<int64_t> sizes = {2, 3, columns};
          sizes[static_cast<std::size_t>(dim)] *= i;
          list.push_back((rand(sizes) * 2).to(type));
        }
        expect_joined(list, dim, 1);
      }
  }
  TensorList many, long_ones;
  for (int64_t i = 0; i < 100; ++i) many.push_back(randn({2, i % 4}));
  expect_joined(many, 1, 1);
  for (int64_t i = 0; i < 100; ++i) many.push_back(randn({2, 3}));
  expect_joined(many, 1, 3);
  for (int64_t i = 0; i < 3; ++i) long_ones.push_back(randn({3, 7001}));
  expect_joined(long_ones, 1, 1);
  EXPECT_TRUE(stack(on_gpu(long_ones), 1).cpu().equal(stack(long_ones, 1)));
}

TEST_F(Lists, OfOtherLayoutsAndTypesAreJoinedOneByOne) {
  const Tensor x = randn({4, 4}), y = randn({4, 4}, kFloat64);
  expect_joined({x.t().contiguous(), x}, 0, 1);
  const TensorList there = on_gpu({x, y});
  EXPECT_TRUE(cat({there[0].t(), there[0]}).cpu().equal(cat({x.t(), x})));
  EXPECT_TRUE(cat(there).cpu().equal(cat({x, y})));
}

TEST_F(Lists, AreScaledByOneLaunch) {
  manual_seed(2);
  const NoGradGuard no_grad;
  for (const ScalarType type : {kFloat64, kFloat32}) {
    TensorList here;
    for (int64_t i = 0; i < 25; ++i) here.push_back(randn({700 * i}, type));
    const TensorList there = on_gpu(here);
    const Tensor factor = tensor({0.3}).to(Device(kCUDA));
    emulator::take_counts();
    _foreach_mul_(there, 0.7);
    EXPECT_EQ(emulator::take_counts().launches, 1);
    _foreach_mul_(there, factor);
    EXPECT_EQ(emulator::take_counts().launches, 2);  // one makes a float64 of it
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_TRUE(there[i].cpu().equal(here[i].mul(0.7).mul(factor.cpu()))) << i;
    EXPECT_THROW(_foreach_mul_(there, tensor({0.3})), DeviceError);
  }
}

TEST_F(Lists, NumbersThatTheCpuMakesAreNotWaitedFor) {
  constexpr int64_t kMany = 200'000;  // over 1 MiB
  const auto expect_unwaited = [](const std::function<Tensor(TensorOptions)>& make) {
    manual_seed(3);
    emulator::set_order(Order::Late);
    emulator::take_counts();
    const Tensor there = make(TensorOptions(Device(kCUDA)));
    const emulator::Counts counts = emulator::take_counts();
    EXPECT_EQ(counts.waits, 0);
    EXPECT_EQ(counts.pageable_copies, 0);
    manual_seed(3);
    EXPECT_TRUE(there.cpu().equal(make({})));
  };
  expect_unwaited([](TensorOptions o) { return arange(kMany, o); });
  expect_unwaited([](TensorOptions o) { return arange(0, 1, 1.0 / kMany, o.dtype(kFloat64)); });
  expect_unwaited([](TensorOptions o) { return linspace(0, 1, 2 * kMany, o); });
  expect_unwaited([](TensorOptions o) { return eye(700, o); });
  expect_unwaited([](TensorOptions o) { return randint(1000, {kMany}, o); });
  expect_unwaited([](TensorOptions o) { return randperm(kMany, o); });
  expect_unwaited([](TensorOptions o) { return arange(0, o); });
}

}  // namespace
}  // namespace notape::cuda
