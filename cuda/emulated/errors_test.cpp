// What is said of work that fails: the operator, where it is known, and how to find it otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/conv/conv2d.h"
#include "ops/core/allocate.h"
#include "ops/core/kernel_slot.h"
#include "ops/core/launch.h"
#include "ops/ops.h"

namespace notape {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string device_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what_without_backtrace();
  }
  return {};
}

__global__ void do_nothing() {}
using ForTest = Kernel<void(const Operation&)>;
ForTest too_large([](const Operation&) {});
const Implementation on_cuda(too_large, kCUDA, [](const Operation&) {
  detail::launch(do_nothing, 1, 5000, nullptr);
});

TEST(ErrorsOfGpu, NameTheOperatorWhoseLaunchFails) {
  const Operation op("some_operator", SourceLocation::current());
  const std::string error = device_error_of([&] { too_large(op, kFloat32, Device(kCUDA)); });
  EXPECT_THAT(error, StartsWith("some_operator: CUDA: a kernel could not be launched: invalid "
                                "configuration argument (at errors_test.cpp:"));
  EXPECT_EQ(device_error_of([] { synchronize(kCUDA); }), "");
}

/// A tensor that says it is larger than its memory.
Tensor beyond() { return raw_alias(ones({4}, Device(kCUDA)), Geometry(IntArrayRef({1 << 20}))); }

/// In a process of its own, which ends with 0 if all is as expected: such a device stays broken.
void expect_in_process(const std::function<void()>& test) {
  EXPECT_EXIT((test(), std::_Exit(::testing::Test::HasFailure())), ::testing::ExitedWithCode(0),
              "");
}

TEST(ErrorsOfGpuDeathTest, SayHowToFindTheOperatorThatFailedBefore) {
  expect_in_process([] {
    emulator::set_order(emulator::Order::Late);
    const Tensor x = ones({4}, Device(kCUDA));
    static_cast<void>(sin(beyond()));
    const std::string wait = device_error_of([] { synchronize(kCUDA); });
    EXPECT_THAT(wait, HasSubstr("waiting for a device failed: emulated GPU: "));
    EXPECT_THAT(wait, HasSubstr("CUDA_LAUNCH_BLOCKING=1"));
    const std::string launch = device_error_of([&] { static_cast<void>(cos(x)); });
    EXPECT_THAT(launch, StartsWith("cos: CUDA: a kernel could not be launched: an illegal memory"));
    EXPECT_THAT(launch, HasSubstr("CUDA_LAUNCH_BLOCKING=1"));
  });
}

TEST(ErrorsOfGpuDeathTest, NameTheOperatorItselfWhereEachLaunchWaits) {
  for (const auto& [name, f] : {std::pair<const char*, std::function<Tensor(const Tensor&)>>{
                                    "sin", [](const Tensor& x) { return sin(x); }},
                                {"prod", [](const Tensor& x) { return prod(x); }},
                                {"cumsum", [](const Tensor& x) { return cumsum(x, 0); }}})
    expect_in_process([&, &name = name, &f = f] {
      setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
      const std::string error = device_error_of([&] { static_cast<void>(f(beyond())); });
      EXPECT_THAT(error, StartsWith(std::string(name) + ": CUDA: a kernel failed: emulated GPU"));
      EXPECT_THAT(error, HasSubstr("errors_test.cpp"));
      EXPECT_THAT(error, Not(HasSubstr("CUDA_LAUNCH_BLOCKING")));
    });
}

TEST(ErrorsOfGpu, SayThatAConvolutionsOperandsAreOfTwoTypesBeforeAKernelReadsThem) {
  const Operation op("conv2d", SourceLocation::current());
  const Conv2dProblem p = conv2d_problem(op, IntArrayRef({1, 1, 4, 4}), IntArrayRef({2, 1, 3, 3}),
                                         Pair(1), Pair(0), Pair(1), 1);
  const Tensor image = ones({1, 1, 4, 4}, kCUDA), filter = ones({2, 1, 3, 3}, kCUDA),
               response = ones({1, 2, 2, 2}, kCUDA);
  const auto wide = [](const Tensor& narrow) { return narrow.to(kFloat64); };
  EXPECT_THROW(conv2d(image, wide(filter), p), DtypeError);
  EXPECT_THROW(conv2d_backward_input(response, wide(filter), p), DtypeError);
  EXPECT_THROW(conv2d_backward_weight(response, wide(image), p), DtypeError);
}

}  // namespace
}  // namespace notape
