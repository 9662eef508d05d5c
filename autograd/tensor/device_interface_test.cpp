#include "autograd/tensor/device_interface.h"

#include <cstring>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Device, ReadsAndWritesItsName) {
  for (const char* name : {"cpu", "cuda:0", "cuda:7", "sim:3"})
    EXPECT_EQ(to_string(Device(name)), name);
  EXPECT_EQ(to_string(Device("cuda")), "cuda:0");
  EXPECT_EQ(Device("cpu:0"), Device(kCPU));
  EXPECT_TRUE(Device("cuda:1").is_cuda());
}

TEST(Device, RefusesOtherNames) {
  for (const char* name : {"", "gpu", "CPU", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:300"})
    expect_error<ValueError>(std::string_view(name).substr(0, 2), [&] { Device device(name); });
}

TEST(DeviceInterface, TheCpuIsAlwaysThere) {
  EXPECT_EQ(device_count(DeviceType::CPU), 1);
  DeviceInterface& cpu = device_interface(kCPU);
  void* data = cpu.allocate(100, 0);
  std::memset(data, 1, 100);
  char copy[100] = {};
  cpu.copy(copy, kCPU, data, kCPU, 100);
  EXPECT_EQ(copy[99], 1);
  cpu.copy(nullptr, kCPU, nullptr, kCPU, 0);
  cpu.deallocate(data, 100, 0);
  cpu.synchronize(0);
}

TEST(DeviceInterface, AnAbsentDeviceIsAnErrorInOneLine) {
  for (Device absent : {Device(kCPU, 5), Device(kCUDA, 100), Device(kSIM, 100)}) {
    try {
      device_interface(absent);
      FAIL() << to_string(absent);
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("is not available"));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  const NothingLeaks guard;
  EXPECT_THROW(zeros({3}, Device(kCUDA, 100)), DeviceError);
  EXPECT_THROW(empty({3}, Device(kCUDA, 100)), DeviceError);
}

/// Memory that is the CPU's, but that only copy() may touch.
class FakeDevice final : public DeviceInterface {
 public:
  int device_count() noexcept override { return 2; }
  void* allocate(std::size_t bytes, int index) override {
    if (bytes > 1 << 20) throw OutOfMemory("fake device {} is full", index);
    ++blocks;
    return ::operator new(bytes);
  }
  void deallocate(void* data, std::size_t, int) noexcept override {
    --blocks;
    ::operator delete(data);
  }
  void copy(void* target, Device, const void* source, Device, std::size_t bytes) override {
    ++copies;
    std::memcpy(target, source, bytes);
  }
  void* current_stream(int) override { return nullptr; }
  void synchronize(int) override {}
  int blocks = 0, copies = 0;
};

FakeDevice& fake() {
  static FakeDevice* device = [] {
    auto* made = new FakeDevice;
    register_device(DeviceType::SIM, made);
    return made;
  }();
  return *device;
}

TEST(DeviceInterface, ARegisteredDeviceHoldsTensors) {
  const NothingLeaks guard;
  FakeDevice& device = fake();
  EXPECT_EQ(device_count(DeviceType::SIM), 2);
  {
    const Tensor x = full({3}, 1.5, Device(kSIM, 1));
    EXPECT_EQ(to_string(x.device()), "sim:1");
    EXPECT_EQ(device.blocks, 1);
    EXPECT_THAT(x.to_string(), HasSubstr("SIMFloatType{3}"));
    EXPECT_THAT(x.to_string(), HasSubstr("1.5000"));
    EXPECT_EQ(full({}, 2.5, Device(kSIM)).item<double>(), 2.5);
  }
  EXPECT_EQ(device.blocks, 0);
  EXPECT_GE(device.copies, 3);
}

TEST(DeviceInterface, AFailingAllocationLeavesNothingBehind) {
  const NothingLeaks guard;
  FakeDevice& device = fake();
  expect_error<OutOfMemory>("fake device 0 is full", [] { empty({1 << 22}, Device(kSIM)); });
  EXPECT_EQ(device.blocks, 0);
}

}  // namespace
}  // namespace notape::testing
