#include "cuda/runtime/stream.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "cuda/testing/host_driver.h"

namespace notape::cuda {
namespace {

using testing::HostDriver;
using Log = std::vector<std::string>;

const Device kGpu0(kCUDA), kGpu1(kCUDA, 1);

TEST(Stream, IsTheDefaultOneAtFirst) {
  std::thread([] {
    for (const Device device :
         {kGpu0, Device(kCUDA, kMaxDevices - 1), Device(kCUDA, 100), Device(kCPU), Device(kSIM)})
      EXPECT_EQ(current_stream(device), Stream{device});
  }).join();
}

TEST(Stream, IsCurrentForItsThreadAndDeviceOnly) {
  HostDriver driver(2);
  const Stream mine{kGpu1, driver.make_stream(1)};
  const StreamGuard guard(mine);
  EXPECT_EQ(current_stream(kGpu1), mine);
  EXPECT_EQ(current_stream(kGpu0), Stream{kGpu0});
  std::thread([] { EXPECT_EQ(current_stream(kGpu1), Stream{kGpu1}); }).join();
}

TEST(Stream, OfTheCpuIsTheDefaultOneAndDoesItsWorkAtOnce) {
  const Stream stream = new_stream(kCPU);
  EXPECT_EQ(stream, Stream{});
  const StreamGuard guard(stream);
  Event event;
  event.record(stream);
  event.block(stream);
  event.synchronize();
  EXPECT_TRUE(event.query());
  stream.synchronize();
  int other = 0;
  EXPECT_THROW(set_current_stream({kCPU, &other}), DeviceError);
  EXPECT_THROW(memory_stats(kCPU), DeviceError);
  EXPECT_THROW(set_per_process_memory_fraction(1.5, kCPU), ValueError);
}

TEST(StreamGuard, GivesTheStreamBeforeBack) {
  HostDriver driver;
  const Stream outer{kGpu0, driver.make_stream(0)}, inner{kGpu0, driver.make_stream(0)};
  const StreamSet* of_outer = nullptr;
  for (int i = 0; i < 2; ++i) {
    const StreamGuard first(outer);
    if (i > 0) {
      EXPECT_EQ(thread_state.streams, of_outer);  // equal sets are the same
    }
    of_outer = thread_state.streams;
    {
      const StreamGuard second(inner);
      EXPECT_EQ(current_stream(kGpu0), inner);
    }
    EXPECT_EQ(current_stream(kGpu0), outer);
  }
  EXPECT_EQ(thread_state.streams, nullptr);
}

TEST(StreamPool, MakesSoManyStreamsAndThenSharesThemInTurn) {
  HostDriver driver(2);
  StreamPool pool(driver);
  std::vector<StreamHandle> first;
  for (std::size_t i = 0; i < StreamPool::kStreams; ++i) first.push_back(pool.next(1));
  EXPECT_EQ(std::set<StreamHandle>(first.begin(), first.end()).size(), StreamPool::kStreams);
  EXPECT_EQ(pool.next(1), first[0]);
  EXPECT_EQ(pool.next(1), first[1]);
  EXPECT_NE(pool.next(0), first[2]);
}

TEST(DriverEvent, MakesOneStreamWaitForAnother) {
  HostDriver driver;
  StreamHandle const a = driver.make_stream(0), b = driver.make_stream(0);
  {
    DriverEvent event(driver, 0);
    event.record(a);
    event.block(0, b);
    EXPECT_EQ(driver.take_log(), (Log{"record on stream 1", "wait on stream 2"}));
    EXPECT_EQ(driver.live_events(), 1U);
  }
  EXPECT_EQ(driver.live_events(), 0U);
}

TEST(DriverEvent, HappensWhenTheWorkBeforeItIsDone) {
  HostDriver driver;
  driver.hold_work();
  DriverEvent event(driver, 0);
  event.record(nullptr);
  EXPECT_FALSE(event.has_happened());
  event.synchronize();
  EXPECT_TRUE(event.has_happened());
  EXPECT_EQ(driver.take_log(), (Log{"record on stream 0"}));
}

}  // namespace
}  // namespace notape::cuda
