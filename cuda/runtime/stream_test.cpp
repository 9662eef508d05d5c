#include "cuda/runtime/stream.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "cuda/testing/host_driver.h"

namespace notape::cuda {
namespace {

using testing::HostDriver;
using Log = std::vector<std::string>;

TEST(Stream, IsTheDefaultOneAtFirst) {
  std::thread([] {
    for (int device : {0, 3, kMaxDevices - 1})
      EXPECT_EQ(current_stream(device), (Stream{device, nullptr}));
  }).join();
}

TEST(Stream, IsCurrentForItsThreadAndDeviceOnly) {
  HostDriver driver(2);
  const Stream mine{1, driver.make_stream(1)};
  const StreamGuard guard(mine);
  EXPECT_EQ(current_stream(1), mine);
  EXPECT_EQ(current_stream(0), (Stream{0, nullptr}));
  std::thread([] { EXPECT_EQ(current_stream(1), (Stream{1, nullptr})); }).join();
}

TEST(StreamGuard, GivesTheStreamBeforeBack) {
  HostDriver driver;
  const Stream outer{0, driver.make_stream(0)}, inner{0, driver.make_stream(0)};
  {
    const StreamGuard first(outer);
    {
      const StreamGuard second(inner);
      EXPECT_EQ(current_stream(0), inner);
    }
    EXPECT_EQ(current_stream(0), outer);
  }
  EXPECT_EQ(current_stream(0), (Stream{0, nullptr}));
}

TEST(StreamPool, MakesSoManyStreamsAndThenSharesThemInTurn) {
  HostDriver driver(2);
  StreamPool pool(driver);
  std::vector<StreamHandle> first;
  for (std::size_t i = 0; i < StreamPool::kStreams; ++i) first.push_back(pool.next(1).handle);
  EXPECT_EQ(std::set<StreamHandle>(first.begin(), first.end()).size(), StreamPool::kStreams);
  EXPECT_EQ(pool.next(1).handle, first[0]);
  EXPECT_EQ(pool.next(1).handle, first[1]);
  EXPECT_EQ(pool.next(0).device, 0);
}

TEST(Event, MakesOneStreamWaitForAnother) {
  HostDriver driver;
  const Stream a{0, driver.make_stream(0)}, b{0, driver.make_stream(0)};
  {
    Event event(driver);
    event.record(a);
    event.block(b);
    EXPECT_EQ(driver.take_log(), (Log{"record on stream 1", "wait on stream 2"}));
    EXPECT_EQ(driver.live_events(), 1U);
  }
  EXPECT_EQ(driver.live_events(), 0U);
}

TEST(Event, HappensWhenTheWorkBeforeItIsDone) {
  HostDriver driver;
  driver.hold_work();
  Event event(driver);
  EXPECT_TRUE(event.has_happened());  // never recorded
  event.block({});
  event.record({});
  EXPECT_FALSE(event.has_happened());
  event.synchronize();
  EXPECT_TRUE(event.has_happened());
  EXPECT_EQ(driver.take_log(), (Log{"record on stream 0"}));
}

}  // namespace
}  // namespace notape::cuda
