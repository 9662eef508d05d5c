#include "ops/core/kernel_slot.h"

#include "autograd/testing/expect.h"

namespace notape::testing {
namespace {

using TestKernel = Kernel<void(const Operation&, int& written, int value)>;

void write(const Operation&, int& written, int value) { written = value; }
void write_double(const Operation&, int& written, int value) { written = 2 * value; }

TEST(KernelSlot, RunsTheImplementationOfTheDevice) {
  TestKernel kernel(write);
  kernel.implement(kSIM, write_double);
  const Operation op("test", SourceLocation::current());
  int written = 0;
  kernel(op, kFloat32, kCPU, written, 3);
  EXPECT_EQ(written, 3);
  kernel(op, kFloat32, kSIM, written, 3);
  EXPECT_EQ(written, 6);
}

TEST(KernelSlot, NamesOperatorTypeAndDeviceWhereNothingIsImplemented) {
  const TestKernel kernel(write);
  const Operation op("some_operator", SourceLocation::current());
  int written = 0;
  expect_error<NoKernel>("some_operator: not implemented for float64 on cuda:1 in this build",
                         [&] { kernel(op, kFloat64, Device(kCUDA, 1), written, 3); });
  EXPECT_EQ(written, 0);
}

}  // namespace
}  // namespace notape::testing
