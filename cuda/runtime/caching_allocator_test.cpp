#include "cuda/runtime/caching_allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "autograd/tensor/memory_observer.h"
#include "cuda/testing/host_driver.h"

namespace notape::cuda {
namespace {

using testing::HostDriver;

constexpr std::size_t kMiB = std::size_t{1} << 20;

StreamHandle stream(std::uintptr_t number) { return reinterpret_cast<StreamHandle>(number); }

struct CachingAllocatorTest : ::testing::Test {
  HostDriver driver;
  CachingAllocator allocator{driver, 0};
};

TEST_F(CachingAllocatorTest, RoundsUpTo512Bytes) {
  void* data = allocator.allocate(1, nullptr);
  EXPECT_EQ(allocator.stats().allocated, 512U);
  void* more = allocator.allocate(513, nullptr);
  EXPECT_EQ(allocator.stats().allocated, 512U + 1024U);
  EXPECT_EQ(static_cast<char*>(more) - static_cast<char*>(data), 512);
  EXPECT_EQ(allocator.stats().reserved, 2 * kMiB);
  EXPECT_EQ(driver.used(0), 2 * kMiB);
}

TEST_F(CachingAllocatorTest, NeedsNothingForNoBytes) {
  EXPECT_EQ(allocator.allocate(0, nullptr), nullptr);
  allocator.deallocate(nullptr);
  EXPECT_EQ(allocator.stats().requests, 0U);
}

TEST_F(CachingAllocatorTest, ServesTheSameMemoryAgainWithoutTheDriver) {
  void* first = allocator.allocate(5 * kMiB, nullptr);
  allocator.deallocate(first);
  EXPECT_EQ(allocator.allocate(5 * kMiB, nullptr), first);
  const MemoryStats stats = allocator.stats();
  EXPECT_EQ(stats.driver_allocates, 1U);
  EXPECT_EQ(stats.driver_releases, 0U);
  EXPECT_EQ(stats.cache_hits, 1U);
  EXPECT_EQ(stats.requests, 2U);
}

TEST_F(CachingAllocatorTest, KeepsThePoolsOfStreamsApart) {
  void* first = allocator.allocate(1000, stream(1));
  allocator.deallocate(first);
  EXPECT_NE(allocator.allocate(1000, stream(2)), first);
  EXPECT_EQ(allocator.allocate(1000, stream(1)), first);
}

TEST_F(CachingAllocatorTest, TakesTheSmallestBlockThatIsLargeEnough) {
  void* large = allocator.allocate(10 * kMiB, nullptr);
  void* medium = allocator.allocate(4 * kMiB, nullptr);
  void* small = allocator.allocate(2 * kMiB, nullptr);
  for (void* data : {large, medium, small}) allocator.deallocate(data);
  EXPECT_EQ(allocator.allocate(3 * kMiB, nullptr), medium);
}

TEST_F(CachingAllocatorTest, SaysWhatLiesWhere) {
  void* first = allocator.allocate(1000, stream(3));
  void* second = allocator.allocate(512, stream(3));
  void* large = allocator.allocate(3 * kMiB, nullptr);
  allocator.record_use(second, stream(5));
  driver.hold_work();
  allocator.deallocate(second);
  std::vector<MemorySegment> segments = allocator.snapshot();
  ASSERT_EQ(segments.size(), 2U);
  if (segments[0].blocks.size() == 1) std::swap(segments[0], segments[1]);
  EXPECT_EQ(segments[0].address, reinterpret_cast<uint64_t>(first));
  EXPECT_EQ(segments[0].bytes, 2 * kMiB);
  EXPECT_EQ(segments[0].stream, stream(3));
  EXPECT_TRUE(segments[0].is_small);
  ASSERT_EQ(segments[0].blocks.size(), 3U);
  EXPECT_EQ(segments[0].blocks[0].bytes, 1024U);
  EXPECT_EQ(segments[0].blocks[0].state, MemoryBlockState::Active);
  EXPECT_EQ(segments[0].blocks[1].address, reinterpret_cast<uint64_t>(second));
  EXPECT_EQ(segments[0].blocks[1].state, MemoryBlockState::Pending);
  EXPECT_EQ(segments[0].blocks[2].state, MemoryBlockState::Inactive);
  EXPECT_EQ(segments[1].address, reinterpret_cast<uint64_t>(large));
  EXPECT_FALSE(segments[1].is_small);
  const nlohmann::json json = nlohmann::json::parse(to_json(segments));
  ASSERT_EQ(json["segments"].size(), 2U);
  const nlohmann::json& one = json["segments"][0];
  EXPECT_EQ(one["total_size"], 2 * kMiB);
  EXPECT_EQ(one["allocated_size"], 1024);
  EXPECT_EQ(one["active_size"], 1024 + 512);
  EXPECT_EQ(one["stream"], 3);
  EXPECT_EQ(one["segment_type"], "small");
  EXPECT_EQ(one["blocks"][1]["state"], "active_pending_free");
  EXPECT_EQ(json["segments"][1]["segment_type"], "large");
}

TEST_F(CachingAllocatorTest, SplitsBlocksAndMergesThemAgain) {
  std::vector<void*> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(allocator.allocate(512 * 1024, nullptr));
  EXPECT_EQ(allocator.stats().driver_allocates, 1U);  // one segment of 2 MiB
  EXPECT_EQ(allocator.stats().cached_blocks, 0U);
  for (int i : {0, 2, 3, 1}) allocator.deallocate(parts[static_cast<std::size_t>(i)]);
  EXPECT_EQ(allocator.stats().cached_blocks, 1U);
  EXPECT_EQ(allocator.allocate(kMiB, nullptr), parts[0]);
  EXPECT_EQ(allocator.stats().driver_allocates, 1U);
}

TEST_F(CachingAllocatorTest, GivesBackOnlySegmentsThatAreFreeAsAWhole) {
  void* kept = allocator.allocate(1000, nullptr);
  void* freed = allocator.allocate(8 * kMiB, nullptr);
  allocator.deallocate(freed);
  allocator.empty_cache();
  EXPECT_EQ(driver.used(0), 2 * kMiB);
  EXPECT_EQ(allocator.stats().reserved, 2 * kMiB);
  EXPECT_EQ(allocator.stats().driver_releases, 1U);
  allocator.deallocate(kept);
  allocator.empty_cache();
  EXPECT_EQ(driver.used(0), 0U);
  EXPECT_EQ(allocator.stats().cached_blocks, 0U);
}

TEST_F(CachingAllocatorTest, RemembersPeaks) {
  void* data = allocator.allocate(4 * kMiB, nullptr);
  allocator.deallocate(data);
  allocator.empty_cache();
  EXPECT_EQ(allocator.stats().allocated, 0U);
  EXPECT_EQ(allocator.stats().peak_allocated, 4 * kMiB);
  EXPECT_EQ(allocator.stats().peak_reserved, 4 * kMiB);
  allocator.reset_peaks();
  EXPECT_EQ(allocator.stats().peak_allocated, 0U);
  EXPECT_EQ(allocator.stats().peak_reserved, 0U);
}

TEST_F(CachingAllocatorTest, IgnoresASecondFree) {
  void* data = allocator.allocate(1000, nullptr);
  allocator.deallocate(data);
  allocator.deallocate(data);
  EXPECT_EQ(allocator.stats().allocated, 0U);
  EXPECT_EQ(allocator.stats().active_blocks, 0U);
}

struct MemoryChanges final : MemoryObserver {
  MemoryChanges() { set_memory_observer(this); }
  ~MemoryChanges() override { set_memory_observer(nullptr); }
  void memory_changed(const MemoryChange& change) noexcept override { seen.push_back(change); }
  std::vector<MemoryChange> seen;
};

TEST(CachingAllocator, TellsAnObserverWhatItHandsOutAndReserves) {
  HostDriver driver(4);
  CachingAllocator allocator(driver, 3);
  const MemoryChanges changes;
  void* data = allocator.allocate(700, nullptr);
  allocator.deallocate(data);
  allocator.deallocate(data);
  ASSERT_EQ(changes.seen.size(), 2U);
  const MemoryChange &taken = changes.seen[0], &given = changes.seen[1];
  EXPECT_EQ(taken.device, Device(kCUDA, 3));
  EXPECT_EQ(taken.data, data);
  EXPECT_EQ(taken.bytes, 1024);
  EXPECT_EQ(taken.allocated, 1024);
  EXPECT_EQ(taken.reserved, static_cast<int64_t>(CachingAllocator::kSmallSegment));
  EXPECT_EQ(given.bytes, -1024);
  EXPECT_EQ(given.allocated, 0);
  EXPECT_EQ(given.reserved, taken.reserved);
}

TEST(CachingAllocator, EmptiesItsCacheBeforeItGivesUp) {
  HostDriver driver(1, 10 * kMiB);
  CachingAllocator allocator(driver, 0);
  void* cached = allocator.allocate(8 * kMiB, stream(1));
  allocator.deallocate(cached);
  void* data = allocator.allocate(6 * kMiB, stream(2));
  EXPECT_NE(data, nullptr);
  EXPECT_EQ(allocator.stats().retries, 1U);
  EXPECT_EQ(driver.used(0), 6 * kMiB);
}

TEST(CachingAllocator, NamesTheDeviceWhenItIsOutOfMemory) {
  HostDriver driver(4, 4 * kMiB);
  CachingAllocator allocator(driver, 3);
  void* kept = allocator.allocate(2 * kMiB, nullptr);
  for (std::size_t bytes : {8 * kMiB, SIZE_MAX}) {
    try {
      allocator.allocate(bytes, nullptr);
      FAIL() << bytes;
    } catch (const OutOfMemory& error) {
      EXPECT_NE(std::string(error.what()).find("cuda:3"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(allocator.stats().allocated, 2 * kMiB);
  allocator.deallocate(kept);
  EXPECT_NE(allocator.allocate(4 * kMiB, nullptr), nullptr);
}

TEST_F(CachingAllocatorTest, KeepsMemoryUntilOtherStreamsAreDoneWithIt) {
  driver.hold_work();
  void* data = allocator.allocate(1000, stream(1));
  allocator.record_use(data, stream(2));
  allocator.record_use(data, stream(1));  // its own stream needs no event
  allocator.deallocate(data);
  EXPECT_EQ(driver.live_events(), 1U);
  EXPECT_NE(allocator.allocate(1000, stream(1)), data);
  driver.finish_work();
  EXPECT_EQ(allocator.allocate(1000, stream(1)), data);
  EXPECT_EQ(driver.live_events(), 0U);
}

TEST_F(CachingAllocatorTest, WaitsForOtherStreamsWhenTheCacheIsEmptied) {
  driver.hold_work();
  void* data = allocator.allocate(1000, stream(1));
  allocator.record_use(data, stream(2));
  allocator.deallocate(data);
  allocator.empty_cache();
  EXPECT_EQ(driver.used(0), 0U);
  EXPECT_EQ(driver.live_events(), 0U);
}

TEST_F(CachingAllocatorTest, NeverReusesMemoryWhoseUseCannotBeFollowed) {
  void* data = allocator.allocate(1000, stream(1));
  allocator.record_use(data, stream(2));
  driver.break_events();
  allocator.deallocate(data);
  EXPECT_NE(allocator.allocate(1000, stream(1)), data);
}

TEST_F(CachingAllocatorTest, TakesAnEventThatIsNotRecordedForNoEvent) {
  void* data = allocator.allocate(1000, stream(1));
  allocator.record_use(data, stream(2));
  driver.break_recording();
  allocator.deallocate(data);
  EXPECT_NE(allocator.allocate(1000, stream(1)), data);
  EXPECT_EQ(driver.live_events(), 0U);
}

TEST_F(CachingAllocatorTest, AsksTheDriverForEachRequestWithoutCaching) {
  void* const cached = allocator.allocate(1000, stream(1));
  allocator.deallocate(cached);
  allocator.set_caching(false);
  EXPECT_EQ(driver.used(0), 0U);
  void* const first = allocator.allocate(1000, stream(1));
  EXPECT_EQ(driver.used(0), 1000U);
  void* const second = allocator.allocate(7, stream(1));
  EXPECT_EQ(driver.used(0), 1007U);
  allocator.deallocate(first);
  EXPECT_EQ(driver.used(0), 7U);
  allocator.set_caching(true);
  allocator.deallocate(second);
  EXPECT_EQ(allocator.stats().cached_blocks, 1U);
}

TEST(CachingAllocator, GivesEverythingBackAtItsEnd) {
  HostDriver driver;
  {
    CachingAllocator allocator(driver, 0);
    allocator.allocate(1000, nullptr);
    allocator.deallocate(allocator.allocate(5 * kMiB, stream(1)));
  }
  EXPECT_EQ(driver.used(0), 0U);
}

// Whatever happens, blocks in use never overlap and what is written stays.
TEST(CachingAllocator, NeverHandsOutMemoryTwice) {
  HostDriver driver(1, 64 * kMiB);
  CachingAllocator allocator(driver, 0);
  std::vector<std::jthread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([&allocator, seed] {
      std::mt19937 random(seed);
      struct Held {
        unsigned char* data;
        std::size_t bytes;
        unsigned char mark;
      };
      std::vector<Held> held;
      for (int step = 0; step < 2000; ++step) {
        if (held.size() < 8 && random() % 2 == 0) {
          const std::size_t bytes =
              random() % 8 == 0 ? random() % (3 * kMiB) + 1 : random() % 20000 + 1;
          auto* data = static_cast<unsigned char*>(allocator.allocate(bytes, stream(random() % 2)));
          held.push_back({data, bytes, static_cast<unsigned char>(random())});
          data[0] = data[bytes - 1] = held.back().mark;
        } else if (!held.empty()) {
          const std::size_t place = random() % held.size();
          const Held block = held[place];
          ASSERT_EQ(block.data[0], block.mark);
          ASSERT_EQ(block.data[block.bytes - 1], block.mark);
          allocator.deallocate(block.data);
          held.erase(held.begin() + static_cast<std::ptrdiff_t>(place));
        }
      }
      for (const Held& block : held) allocator.deallocate(block.data);
    });
  }
  threads.clear();
  EXPECT_EQ(allocator.stats().allocated, 0U);
  EXPECT_EQ(allocator.stats().active_blocks, 0U);
  allocator.empty_cache();
  EXPECT_EQ(driver.used(0), 0U);  // all blocks have merged into whole segments
  EXPECT_EQ(allocator.stats().reserved, 0U);
}

}  // namespace
}  // namespace notape::cuda
