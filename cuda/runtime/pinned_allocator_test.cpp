#include "cuda/runtime/pinned_allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "cuda/testing/host_driver.h"

namespace notape::cuda {
namespace {

using testing::HostDriver;

constexpr std::size_t kPage = PinnedAllocator::kPage;

struct PinnedAllocatorTest : ::testing::Test {
  HostDriver driver{2, 100 * kPage};
  PinnedAllocator allocator{driver};
};

TEST_F(PinnedAllocatorTest, KeepsWhatIsGivenBack) {
  void* data = allocator.allocate(100);
  EXPECT_EQ(driver.used(kHost), kPage);
  EXPECT_NE(allocator.allocate(100), data);
  allocator.deallocate(data);
  EXPECT_EQ(allocator.allocate(kPage), data);
  EXPECT_EQ(allocator.stats().driver_allocates, 2U);
  EXPECT_EQ(allocator.stats().requests, 3U);
  EXPECT_EQ(allocator.stats().in_use, 2 * kPage);
  EXPECT_EQ(allocator.stats().reserved, 2 * kPage);
  EXPECT_EQ(allocator.allocate(0), nullptr);
  allocator.deallocate(nullptr);
}

TEST_F(PinnedAllocatorTest, TakesTheSmallestBlockThatFitsAndNoneMuchLarger) {
  void *large = allocator.allocate(8 * kPage), *middle = allocator.allocate(5 * kPage),
       *small = allocator.allocate(kPage);
  for (void* data : {large, middle, small}) allocator.deallocate(data);
  EXPECT_EQ(allocator.allocate(4 * kPage), middle);
  EXPECT_EQ(allocator.allocate(4 * kPage), large);
  EXPECT_NE(allocator.allocate(3 * kPage), small);
  EXPECT_EQ(allocator.allocate(1), small);
}

TEST_F(PinnedAllocatorTest, DoesNotReuseWhatACopyStillReads) {
  void* data = allocator.allocate(100);
  driver.hold_work();
  allocator.record_use(static_cast<char*>(data) + 50, Stream{Device(kCUDA)});
  allocator.deallocate(data);
  EXPECT_NE(allocator.allocate(100), data);
  driver.finish_work();
  EXPECT_EQ(allocator.allocate(100), data);
  EXPECT_EQ(driver.live_events(), 0U);
}

TEST_F(PinnedAllocatorTest, WaitsForAllStreamsAndHasOneEventForEach) {
  void* data = allocator.allocate(100);
  driver.hold_work();
  const Stream one{Device(kCUDA), driver.make_stream(0)},
      other{Device(kCUDA, 1), driver.make_stream(1)};
  for (int i = 0; i < 3; ++i)
    for (const Stream& stream : {one, other}) allocator.record_use(data, stream);
  EXPECT_EQ(driver.live_events(), 2U);
  allocator.finish_uses(data);
  allocator.deallocate(data);
  EXPECT_EQ(allocator.allocate(100), data);
  EXPECT_EQ(driver.live_events(), 0U);
}

TEST_F(PinnedAllocatorTest, KnowsNothingOfOtherMemory) {
  void* data = allocator.allocate(kPage);
  for (char* other : {static_cast<char*>(data) + kPage, static_cast<char*>(data) - 1})
    allocator.record_use(other, Stream{Device(kCUDA)});
  EXPECT_EQ(driver.live_events(), 0U);
  allocator.finish_uses(this);
}

TEST_F(PinnedAllocatorTest, GivesWhatItKeepsBackWhenTheDriverHasNothingLeft) {
  void* data = allocator.allocate(60 * kPage);
  allocator.deallocate(data);
  EXPECT_NE(allocator.allocate(10 * kPage), nullptr);
  EXPECT_NE(allocator.allocate(90 * kPage), nullptr);
  EXPECT_EQ(driver.used(kHost), 100 * kPage);
  EXPECT_THROW(allocator.allocate(1), OutOfMemory);
  EXPECT_THROW(allocator.allocate(SIZE_MAX), OutOfMemory);
}

TEST_F(PinnedAllocatorTest, EmptiesItsCacheAfterTheWorkOnIt) {
  void *kept = allocator.allocate(100), *used = allocator.allocate(100);
  driver.hold_work();
  allocator.record_use(kept, Stream{Device(kCUDA)});
  allocator.deallocate(kept);
  allocator.empty_cache();
  EXPECT_EQ(driver.live_events(), 0U);
  EXPECT_EQ(driver.used(kHost), kPage);
  EXPECT_EQ(allocator.stats().reserved, kPage);
  allocator.deallocate(used);
}

TEST_F(PinnedAllocatorTest, ServesThreads) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        void* data = allocator.allocate(200);
        std::memset(data, i, 200);
        allocator.record_use(data, Stream{Device(kCUDA)});
        allocator.finish_uses(data);
        allocator.deallocate(data);
      }
    });
  threads.clear();
  EXPECT_EQ(allocator.stats().in_use, 0U);
}

}  // namespace
}  // namespace notape::cuda
