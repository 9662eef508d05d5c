#include "trace/gpu/cupti/buffer_pool.h"

#include <gtest/gtest.h>

#include <thread>

#include "trace/gpu/cupti/collector.h"
#include "trace/record/clock.h"
#include "trace/testing/mock_activity.h"

#ifdef NOTAPE_HAVE_CUDA_RUNTIME
#include "cuda/runtime/caching_allocator.h"
#include "cuda/testing/host_driver.h"
#endif

namespace notape::trace::cupti {
namespace {

TEST(BufferPool, LendsUpToItsLimitAndCountsWhatItRefuses) {
  BufferPool pool(100, 250);
  EXPECT_EQ(pool.bytes(), 0U);  // nothing is taken before it is asked for
  const auto a = pool.request(), b = pool.request(), c = pool.request();
  EXPECT_EQ(a.size(), 100U);
  EXPECT_NE(a.data(), b.data());
  EXPECT_TRUE(c.empty());
  EXPECT_EQ(pool.refused(), 1U);
  EXPECT_EQ(pool.bytes(), 200U);
}

TEST(BufferPool, KeepsFullBuffersInTheirOrderUntilTheyAreGivenBack) {
  BufferPool pool(100, 300);
  const auto a = pool.request(), b = pool.request();
  pool.complete(b.data(), 7);
  pool.complete(a.data(), 9);
  EXPECT_EQ(pool.full().size(), 2U);
  EXPECT_EQ(pool.full()[0].data(), b.data());
  EXPECT_EQ(pool.full()[0].size(), 7U);
  EXPECT_NE(pool.request().data(), a.data());
  EXPECT_TRUE(pool.request().empty());
  pool.give_back();
  EXPECT_EQ(pool.request().size(), 100U);
  EXPECT_EQ(pool.bytes(), 300U);  // used again, not taken anew
}

TEST(BufferPool, AnEmptyBufferIsFreeAtOnceAndAStrangersIsIgnored) {
  BufferPool pool(100, 100);
  const auto a = pool.request();
  pool.complete(a.data(), 0);
  EXPECT_TRUE(pool.full().empty());
  EXPECT_EQ(pool.request().data(), a.data());
  uint8_t byte = 0;
  pool.complete(&byte, 1);
  pool.complete(nullptr, 1);
  EXPECT_TRUE(pool.full().empty());
}

TEST(BufferPool, IsOfTheSizeThatCuptiAdvises) {
  EXPECT_GE(BufferPool::kBuffer, std::size_t{1} << 20);
  EXPECT_LE(BufferPool::kBuffer, std::size_t{10} << 20);
  EXPECT_GE(BufferPool::kMost / BufferPool::kBuffer, 32U);
}

#ifdef NOTAPE_HAVE_CUDA_RUNTIME

/// A driver whose allocation, under the lock of our allocator, meets CUPTI in another thread that
/// holds its own: callbacks that allocated through ours would never end.
class MeetsCupti final : public cuda::testing::HostDriver {
 public:
  explicit MeetsCupti(testing::MockActivity& api) : HostDriver(1, 1 << 24), api_(api) {}
  void* allocate(int device, std::size_t bytes) override {
    std::thread cupti([&] {
      const int64_t at = now_ns();
      for (int64_t i = 1; i < 100; ++i) api_.call("cudaMalloc", at, at + i);
      api_.flush(FlushMode::Finished);
    });
    cupti.join();
    return HostDriver::allocate(device, bytes);
  }

 private:
  testing::MockActivity& api_;
};

TEST(BufferPool, IsAskedWhileTheLockOfTheAllocatorIsHeld) {
  testing::MockActivity api;
  Collector collector(api, {.buffer_bytes = 64, .most_bytes = 64 * 1024});
  ASSERT_TRUE(collector.start());
  MeetsCupti driver(api);
  cuda::CachingAllocator allocator(driver, 0);
  const uint64_t requests = allocator.stats().requests;
  allocator.deallocate(allocator.allocate(1000, nullptr));
  EXPECT_EQ(collector.stop().rows.size(), 99U);
  EXPECT_EQ(allocator.stats().requests, requests + 1) << "buffers came from our allocator";
}

#endif

}  // namespace
}  // namespace notape::trace::cupti
