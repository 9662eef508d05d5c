// Two GPUs: copies between them wait for one another's streams, and operators do not mix them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "cuda/testing/every_row.h"

namespace notape {
namespace {

using emulator::Order;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Before the first use.
[[maybe_unused]] const int kTwo = setenv("NOTAPE_EMULATED_DEVICES", "2", 1);
const Device kOne(kCUDA, 0), kOther(kCUDA, 1);

class TwoDevices : public ::testing::TestWithParam<Order> {
 protected:
  void SetUp() override { emulator::set_order(GetParam(), 5); }
  void TearDown() override {
    for (const Device device : {kOne, kOther}) synchronize(device);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
    emulator::set_order(Order::Eager);
  }
};

/// Makes a tensor on one device and sends it to the other and back; memory of all of them is used
/// again at once, on streams beside the default ones.
Tensor there_and_back(const Tensor& x) {
  const StreamGuard here(new_stream(kOne)), there(new_stream(kOther));
  Tensor back;
  for (int i = 0; i < 4; ++i) {
    Tensor first = x.to(kOne) * 2;
    Tensor second = first.to(kOther);
    first.fill_(7);  // not before it has been read
    first = Tensor();
    Tensor third = second + 1;
    second.fill_(9);
    second = Tensor();
    back = third.to(kOne) * 3;
    third.fill_(5);
    Tensor column = back.reshape({10, 100}).t().to(kOther, kFloat32);
    back.view({100, 10}).copy_(column.mul_(1));
  }
  return back.cpu();
}

TEST_P(TwoDevices, SendEachOtherTensorsInOrder) {
  const Tensor x = linspace(-1, 1, 1000, kFloat64);
  const Tensor expected = ((x * 2 + 1) * 3).reshape({10, 100}).t().to(kFloat32).to(kFloat64);
  EXPECT_TRUE(equal(there_and_back(x).view({100, 10}), expected));
}

TEST_P(TwoDevices, SendGradientsBack) {
  const Tensor x = linspace(-1, 1, 1000, kFloat64);
  const auto gradient = [&](Device first, Device second) {
    const Tensor leaf = x.clone().to(first).requires_grad_();
    const Tensor y = ((leaf * leaf).to(second).sin() * leaf.to(second)).to(first) + leaf;
    y.sum().backward();
    return leaf.grad().cpu();
  };
  EXPECT_TRUE(allclose(gradient(kOne, kOther), gradient(kCPU, kCPU), 1e-12, 1e-12));
  EXPECT_TRUE(allclose(gradient(kOther, kOne), gradient(kCPU, kCPU), 1e-12, 1e-12));
}

INSTANTIATE_TEST_SUITE_P(InEachOrder, TwoDevices,
                         ::testing::Values(Order::Batches, Order::Eager, Order::Late,
                                           Order::Random));

TEST(CopiesBetweenDevices, AreARaceWithoutOneOfTheirTwoWaits) {
  const Tensor x = linspace(-1, 1, 1000, kFloat64);
  static_cast<void>(there_and_back(x));
  synchronize(kOne), synchronize(kOther);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
  for (const int n : {1, 2}) {
    Tensor source = x.to(kOne), target = zeros({1000}, TensorOptions(kFloat64).device(kOther));
    synchronize(kOne), synchronize(kOther);
    target.fill_(1);
    emulator::drop_wait(n);
    target.copy_(source);
    target.add_(1);
    EXPECT_TRUE(emulator::has_dropped()) << n;
    try {
      synchronize(kOne), synchronize(kOther);
    } catch (const DeviceError&) {
    }
    EXPECT_THAT(emulator::take_findings(), Contains(HasSubstr("race"))) << n;
  }
}

TEST(CopiesBetweenDevices, WaitForNobodyAndGoFromPeerToPeer) {
  const Tensor x = ones({1000}, kOne);
  static_cast<void>(x.to(kOther));
  emulator::take_counts();
  const Tensor y = x.to(kOther);
  const emulator::Counts counts = emulator::take_counts();
  EXPECT_EQ(counts.waits, 0);
  EXPECT_EQ(counts.copies, 1);
  EXPECT_EQ(counts.peers, 0) << "asked for once, before";
  EXPECT_EQ(y.device(), kOther);
}

TEST(TwoDevicesMixed, AreARefusalOfEveryOperatorThatHasChangedNothing) {
  int refused = 0;
  cuda::testing::each_mixed_call(
      4, [&](const OpSpec&, const OpCase& one, const variable_list& drawn, std::size_t k) {
        const variable_list mixed = cuda::testing::mixed(drawn, k, kOther, kOne);
        manual_seed(3);
        try {
          const Tensor result = one.call(mixed);
          manual_seed(3);
          EXPECT_TRUE(cuda::testing::is_close(one.call(drawn), result, 1e-9));
        } catch (const DeviceError& error) {
          ++refused;
          EXPECT_EQ(error.what_without_backtrace().find('\n'), std::string::npos);
          EXPECT_THAT(error.what_without_backtrace(), HasSubstr("cuda:1"));
        } catch (const Error& error) {
          ADD_FAILURE() << error.what();
        }
      });
  EXPECT_GT(refused, 500);
  for (const Device device : {kOne, kOther}) synchronize(device);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

}  // namespace
}  // namespace notape
