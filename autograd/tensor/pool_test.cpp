#include "autograd/tensor/pool.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace notape {
namespace {

TEST(Pool, BlocksAreAlignedAndApart) {
  std::set<uintptr_t> starts;
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (std::size_t bytes : {0, 1, 64, 65, 128, 4096, 4097, 10000})
    for (int i = 0; i < 10; ++i) {
      void* block = pool::allocate(bytes);
      std::memset(block, i, bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % pool::kGranule, 0u);
      EXPECT_TRUE(starts.insert(reinterpret_cast<uintptr_t>(block)).second);
      blocks.emplace_back(block, bytes);
    }
  for (const auto& [block, bytes] : blocks) pool::deallocate(block, bytes);
}

TEST(Pool, ReusesABlockOfTheSameClass) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "pooling is off under sanitizers";
#endif
  void* first = pool::allocate(200);
  pool::deallocate(first, 200);
  void* second = pool::allocate(256);  // both need four granules
  EXPECT_EQ(first, second);
  pool::deallocate(second, 256);
}

TEST(Pool, BlocksMayBeFreedOnAnotherThread) {
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(pool::allocate(64));
  std::thread([&] {
    for (void* block : blocks) pool::deallocate(block, 64);
    void* reused = pool::allocate(64);
    pool::deallocate(reused, 64);
  }).join();
  pool::trim();
  pool::deallocate(pool::allocate(64), 64);
}

TEST(Pool, AThreadThatOnlyFreesGivesEverythingBack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "pooling is off under sanitizers";
#endif
  pool::trim();
  const std::size_t before = mallinfo2().uordblks;
  std::vector<void*> blocks(1000);
  for (void*& block : blocks) block = pool::allocate(256);
  std::thread([&] {
    for (void* block : blocks) pool::deallocate(block, 256);
  }).join();
  EXPECT_LT(mallinfo2().uordblks, before + 64 * 1024);
}

TEST(Pool, LargeBlocksThatWaitAreNeverAddedToWhatIsInUse) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "pooling is off under sanitizers";
#endif
  pool::trim();
  constexpr std::size_t kLarge = std::size_t{90} << 20;  // more than tests have in use otherwise
  const auto mapped = [] { return mallinfo2().hblkhd; };
  const std::size_t before = mapped();
  pool::deallocate(pool::allocate(kLarge), kLarge);
  EXPECT_GE(mapped(), before + kLarge) << "it waits for the next one of its size";
  void* other = pool::allocate(kLarge + 4096);
  EXPECT_LT(mapped(), before + 2 * kLarge) << "of another size: the first one has made room";
  pool::deallocate(other, kLarge + 4096);
  void* third = pool::allocate(kLarge / 2);
  EXPECT_LT(mapped(), before + kLarge + (1 << 20)) << "nor do smaller ones come on top";
  pool::deallocate(third, kLarge / 2);
  pool::trim();
  EXPECT_LT(mapped(), before + (1 << 20));
}

struct Destructors : Pooled {
  explicit Destructors(int& count) : count_(count) {}
  ~Destructors() { ++count_; }
  int& count_;
  char payload[100] = {};
};

TEST(Pool, NewAndDeleteOfPooledObjectsRunConstructorsAndDestructors) {
  int count = 0;
  delete new Destructors(count);
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace notape
