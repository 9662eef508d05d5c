#include "autograd/tensor/pool.h"

#include <array>
#include <cstdint>
#include <cstdlib>

namespace notape::pool {
namespace {

constexpr std::size_t kClasses = kLargestBlock / kGranule;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPooling = false;  // let the sanitizers see every allocation
#else
constexpr bool kPooling = true;
#endif

// At most about 4 MiB per size class and thread wait for reuse.
constexpr std::array<uint32_t, kClasses> kCaps = [] {
  std::array<uint32_t, kClasses> caps{};
  for (std::size_t c = 0; c < kClasses; ++c)
    caps[c] = static_cast<uint32_t>((std::size_t{4} << 20) / ((c + 1) * kGranule));
  return caps;
}();

struct FreeBlock {
  FreeBlock* next;
};

// Trivially destructible: still valid while other thread-local objects are torn down.
struct Lists {
  FreeBlock* head[kClasses];
  uint32_t length[kClasses];
  bool closed;  // the thread is ending: bypass the lists
};
constinit thread_local Lists lists{};

void drain() noexcept {
  for (std::size_t c = 0; c < kClasses; ++c) {
    while (FreeBlock* block = lists.head[c]) {
      lists.head[c] = block->next;
      std::free(block);
    }
    lists.length[c] = 0;
  }
}

struct DrainAtThreadExit {
  ~DrainAtThreadExit() {
    lists.closed = true;
    drain();
  }
};

void* system_allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + kGranule - 1) / kGranule * kGranule;
  if (void* block = std::aligned_alloc(kGranule, rounded)) return block;
  throw std::bad_alloc();
}

[[gnu::noinline]] void* refill(std::size_t bytes) {
  if (!lists.closed) static thread_local DrainAtThreadExit at_exit;
  return system_allocate(bytes);
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (!kPooling || bytes > kLargestBlock) [[unlikely]]
    return system_allocate(bytes);
  const std::size_t size_class = (bytes + kGranule - 1) / kGranule - (bytes != 0);
  FreeBlock* block = lists.head[size_class];
  if (!block) [[unlikely]]
    return refill((size_class + 1) * kGranule);
  lists.head[size_class] = block->next;
  --lists.length[size_class];
  return block;
}

void deallocate(void* block, std::size_t bytes) noexcept {
  if (!kPooling || bytes > kLargestBlock) [[unlikely]]
    return std::free(block);
  const std::size_t size_class = (bytes + kGranule - 1) / kGranule - (bytes != 0);
  if (lists.closed || lists.length[size_class] >= kCaps[size_class]) [[unlikely]]
    return std::free(block);
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = lists.head[size_class];
  lists.head[size_class] = free_block;
  ++lists.length[size_class];
}

void trim() noexcept { drain(); }

}  // namespace notape::pool
