#include "cuda/runtime/cuda_device.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cuda/testing/host_driver.h"

namespace notape::cuda {
namespace {

using testing::HostDriver;
using Log = std::vector<std::string>;

const Device kFirst(kCUDA, 0), kSecond(kCUDA, 1);

struct CudaDeviceTest : ::testing::Test {
  HostDriver driver{2};
  CudaDevice device{driver};
};

TEST_F(CudaDeviceTest, CountsAndRefusesWhatIsNotThere) {
  EXPECT_EQ(device.device_count(), 2);
  for (int index : {-1, 2, 100}) {
    EXPECT_THROW(device.allocate(100, index), DeviceError) << index;
    EXPECT_THROW(device.new_stream(index), DeviceError) << index;
  }
  HostDriver none(0);
  CudaDevice absent(none);
  EXPECT_EQ(absent.device_count(), 0);
  EXPECT_THROW(absent.allocate(100, 0), DeviceError);
  HostDriver many(100);
  CudaDevice capped(many);
  EXPECT_EQ(capped.device_count(), kMaxDevices);
}

TEST_F(CudaDeviceTest, CachesMemoryPerDevice) {
  void* data = device.allocate(100, 1);
  EXPECT_GT(driver.used(1), 0U);
  EXPECT_EQ(driver.used(0), 0U);
  device.deallocate(data, 100, 1);
  EXPECT_EQ(device.allocate(100, 1), data);
}

TEST_F(CudaDeviceTest, AllocatesForTheCurrentStream) {
  void* data = device.allocate(100, 0);
  device.deallocate(data, 100, 0);
  const StreamGuard guard({kFirst, device.new_stream(0)});
  EXPECT_NE(device.allocate(100, 0), data);
}

TEST_F(CudaDeviceTest, HasReadSmallMemoryWhenItReturnsAndFinishesCopiesToTheCpu) {
  std::vector<int> values(10), back(10);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int> expected = values;
  void* data = device.allocate(40, 0);
  driver.hold_work();
  device.copy(data, kFirst, values.data(), kCPU, 40);
  values.assign(10, 7);
  driver.finish_work();
  device.copy(back.data(), kCPU, data, kFirst, 40);
  EXPECT_EQ(back, expected);
  EXPECT_EQ(driver.take_log(), (Log{"copy -1 to 0 on stream 0", "record on stream 0",
                                    "copy 0 to -1 on stream 0", "finish stream 0"}));
}

TEST_F(CudaDeviceTest, FinishesCopiesOfWhatIsLarge) {
  const std::vector<char> values((1 << 20) + 1);
  void* data = device.allocate(values.size(), 0);
  device.copy(data, kFirst, values.data(), kCPU, values.size());
  EXPECT_EQ(driver.take_log(), (Log{"copy -1 to 0 on stream 0", "finish stream 0"}));
}

TEST_F(CudaDeviceTest, LeavesCopiesFromPinnedMemoryUnderWay) {
  void *data = device.allocate(40, 1), *pinned = device.allocate_pinned(40);
  const StreamGuard guard({kSecond, device.new_stream(1)});
  driver.hold_work();
  device.copy_from_pinned(data, kSecond, pinned, 40);
  EXPECT_EQ(driver.take_log(), (Log{"copy -1 to 1 on stream 1", "record on stream 1"}));
  device.deallocate_pinned(pinned, 40);
  void* other = device.allocate_pinned(40);
  EXPECT_NE(other, pinned);
  driver.finish_work();
  EXPECT_EQ(device.allocate_pinned(40), pinned);
  device.copy_from_pinned(data, kSecond, other, 0);
  EXPECT_TRUE(driver.take_log().empty());
}

TEST_F(CudaDeviceTest, WaitsWhereNobodyCouldTellThatACopyIsDone) {
  void *data = device.allocate(40, 0), *pinned = device.allocate_pinned(40);
  driver.break_events();
  device.copy_from_pinned(data, kFirst, pinned, 40);
  EXPECT_EQ(driver.take_log(), (Log{"copy -1 to 0 on stream 0", "finish stream 0"}));
}

TEST_F(CudaDeviceTest, QueuesCopiesWithinADevice) {
  void *a = device.allocate(40, 0), *b = device.allocate(40, 0);
  device.copy(b, kFirst, a, kFirst, 40);
  EXPECT_EQ(driver.take_log(), (Log{"copy 0 to 0 on stream 0"}));
  device.copy(b, kFirst, a, kFirst, 0);
  EXPECT_TRUE(driver.take_log().empty());
}

TEST_F(CudaDeviceTest, OrdersCopiesBetweenDevicesOnBothStreams) {
  void *a = device.allocate(40, 0), *b = device.allocate(40, 1);
  const StreamGuard first({kFirst, device.new_stream(0)}), second({kSecond, device.new_stream(1)});
  device.copy(b, kSecond, a, kFirst, 40);
  EXPECT_EQ(driver.take_log(),
            (Log{"record on stream 2", "wait on stream 1", "copy 0 to 1 on stream 1",
                 "record on stream 1", "wait on stream 2"}));
}

TEST_F(CudaDeviceTest, SelectsTheDeviceThatAKernelIsLaunchedOn) {
  const Stream stream{kSecond, device.new_stream(1)};
  const StreamGuard guard(stream);
  EXPECT_EQ(device.current_stream(1), stream.handle);
  EXPECT_EQ(driver.take_log(), (Log{"select 1"}));
}

TEST_F(CudaDeviceTest, TakesNoMoreThanItsPartOfTheMemory) {
  const std::size_t half = driver.total_memory(0) / 2;
  device.set_memory_fraction(0.5, 0);
  EXPECT_THROW(device.allocate(half + 1, 0), OutOfMemory);
  void* data = device.allocate(half, 0);
  EXPECT_THROW(device.allocate(512, 0), OutOfMemory);
  EXPECT_NE(device.allocate(512, 1), nullptr);
  device.deallocate(data, half, 0);
  EXPECT_NE(device.allocate(512, 0), nullptr);  // after the cache was emptied
  EXPECT_EQ(device.memory_stats(0).retries, 1U);
}

TEST_F(CudaDeviceTest, NamesTheMemoryFractionWhereThatIsTheCause) {
  const auto message = [&](std::size_t bytes) {
    try {
      device.allocate(bytes, 0);
    } catch (const OutOfMemory& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::size_t all = driver.total_memory(0);
  EXPECT_EQ(message(all + 1).find("fraction"), std::string::npos);
  device.set_memory_fraction(0.5, 0);
  EXPECT_NE(message(all / 2 + 1).find("that the memory fraction allows"), std::string::npos);
  device.set_memory_fraction(1, 0);
  driver.allocate(0, all / 2);  // by somebody else
  EXPECT_EQ(message(all / 2 + 1).find("fraction"), std::string::npos);
}

/// An allocator of a program's own, which notes what it is asked for.
struct OwnAllocator {
  HostDriver& driver;
  Log log{};

  PluggableAllocator functions() {
    return {[this](std::size_t bytes, int index, void* stream) {
              note("take", bytes, index, stream);
              return bytes > 1000 ? nullptr : driver.allocate(index, bytes);
            },
            [this](void* data, std::size_t bytes, int index, void* stream) {
              note("give", bytes, index, stream);
              driver.release(index, data);
            }};
  }
  void note(const char* what, std::size_t bytes, int index, void* stream) {
    log.push_back(std::string(what) + " " + std::to_string(bytes) + " of " + std::to_string(index) +
                  " on " + std::to_string(reinterpret_cast<std::uintptr_t>(stream)));
  }
};

TEST_F(CudaDeviceTest, TakesMemoryFromTheProgramsOwnAllocator) {
  OwnAllocator own{driver};
  device.change_allocator(own.functions());
  void* const first = device.allocate(100, 1);
  EXPECT_EQ(device.allocate(0, 1), nullptr);
  const StreamGuard guard({kSecond, device.new_stream(1)});
  void* const second = device.allocate(200, 1);
  device.deallocate(first, 100, 1);
  device.deallocate(second, 200, 1);
  EXPECT_EQ(own.log, (Log{"take 100 of 1 on 0", "take 200 of 1 on 1", "give 100 of 1 on 0",
                          "give 200 of 1 on 1"}));
  EXPECT_EQ(driver.used(1), 0U);
  EXPECT_THROW(device.allocate(1001, 0), OutOfMemory);
  EXPECT_THROW(device.allocate(10, 2), DeviceError);
  EXPECT_THROW(device.memory_stats(0), DeviceError);
  EXPECT_THROW(device.change_allocator(own.functions()), ValueError);
}

TEST_F(CudaDeviceTest, ReleasesToTheProgramsAllocatorAfterTheWorkOfOtherStreams) {
  OwnAllocator own{driver};
  device.change_allocator(own.functions());
  void* const data = device.allocate(100, 0);
  device.record_stream(data, 0, nullptr);  // its own
  void* const other = device.new_stream(0);
  device.record_stream(data, 0, other);
  driver.take_log();
  device.deallocate(data, 100, 0);
  EXPECT_EQ(driver.take_log(), (Log{"record on stream 1", "wait on stream 0"}));
  EXPECT_EQ(own.log.back(), "give 100 of 0 on 0");
}

TEST_F(CudaDeviceTest, ChangesNoAllocatorThatIsInUse) {
  device.deallocate(device.allocate(10, 1), 10, 1);
  OwnAllocator own{driver};
  EXPECT_THROW(device.change_allocator(own.functions()), ValueError);
  EXPECT_THROW(change_current_allocator(kCUDA, {}), ValueError);
  EXPECT_THROW(memory_snapshot(kCPU), DeviceError);
}

TEST_F(CudaDeviceTest, WaitsForADevice) {
  device.synchronize(1);
  EXPECT_EQ(driver.take_log(), (Log{"finish device 1"}));
}

}  // namespace
}  // namespace notape::cuda
