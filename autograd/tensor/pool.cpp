#include "autograd/tensor/pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "autograd/tensor/large_pages.h"

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

/// Blocks of a class have (class + 1) granules; nothing takes one, too.
constexpr std::size_t class_of(std::size_t bytes) { return (bytes - (bytes != 0)) / kGranule; }

struct FreeBlock {
  FreeBlock* next;
};

struct Lists {
  FreeBlock* head[kClasses];
  uint32_t room[kClasses];  // how many more blocks may wait
};

// Never written: with nothing to take and no room, every way to write goes through may_keep().
constinit Lists nothing{};
/// `nothing` until the thread first gives a block back, and again once it is ending. A pointer:
/// there is little room for thread-local data in a library that is loaded late.
constinit thread_local Lists* lists = &nothing;
constinit thread_local bool has_ended = false;

/// Bytes of large blocks that somebody has, and the most there ever were at once.
class InUse {
 public:
  void add(std::size_t bytes) noexcept { now_.fetch_add(bytes, std::memory_order_relaxed); }
  void remove(std::size_t bytes) noexcept { now_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// What was added is there, too.
  void note_most() noexcept {
    const std::size_t now = now_.load(std::memory_order_relaxed);
    std::size_t most = most_.load(std::memory_order_relaxed);
    while (now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
  }
  /// Whether so many more would be more than ever.
  bool is_exceeded_by(std::size_t more) const noexcept {
    const std::size_t now = now_.load(std::memory_order_relaxed);
    return now + more > std::max(now, most_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<std::size_t> now_{0}, most_{0};
};
constinit InUse in_use;

// Large blocks are kept by exact size: a training step asks for the same ones again, and memory
// fresh from the system costs a page fault for every 4 KiB. They fill what is not in use of the
// most that ever was, so that a program's peak is that of its tensors.
class LargeBlocks {
 public:
  static constexpr std::size_t kMaxBlocks = 16, kMaxBytes = std::size_t{256} << 20;

  void* take(std::size_t bytes) noexcept {
    for (std::size_t i = count_; i-- > 0;)
      if (blocks_[i].bytes == bytes) return remove(i);
    return nullptr;
  }
  /// Makes room by giving the oldest blocks back; false if the block is too large to keep.
  bool put(void* data, std::size_t bytes) noexcept {
    if (bytes > kMaxBytes / 2) return false;
    while (count_ == kMaxBlocks || total_ + bytes > kMaxBytes) std::free(remove(0));
    blocks_[count_++] = {data, bytes};
    total_ += bytes;
    return true;
  }
  /// Before a new block, which in_use counts already: gives back, oldest first, what is too much.
  void make_room() noexcept {
    while (count_ > 0 && in_use.is_exceeded_by(total_)) std::free(remove(0));
  }
  void drain() noexcept {
    while (count_ > 0) std::free(remove(count_ - 1));
  }

 private:
  struct Block {
    void* data;
    std::size_t bytes;
  };
  void* remove(std::size_t i) noexcept {
    void* data = blocks_[i].data;
    total_ -= blocks_[i].bytes;
    for (--count_; i < count_; ++i) blocks_[i] = blocks_[i + 1];
    return data;
  }

  Block blocks_[kMaxBlocks];
  std::size_t count_, total_;
};
/// What a thread keeps.
struct Kept {
  Lists lists{};
  LargeBlocks large{};

  Kept() noexcept { std::copy(kCaps.begin(), kCaps.end(), lists.room); }

  void drain() noexcept {
    for (std::size_t c = 0; c < kClasses; ++c) {
      while (FreeBlock* block = lists.head[c]) {
        lists.head[c] = block->next;
        std::free(block);
      }
      lists.room[c] = kCaps[c];
    }
    large.drain();
  }
};
constinit thread_local Kept* kept = nullptr;

struct DrainAtThreadExit {
  ~DrainAtThreadExit() {
    lists = &nothing;
    has_ended = true;
    kept->drain();
    delete std::exchange(kept, nullptr);
  }
};

void* system_allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + kGranule - 1) / kGranule * kGranule;
  if (void* block = std::aligned_alloc(kGranule, rounded)) return block;
  throw std::bad_alloc();
}

/// Whether the thread may keep blocks; sees to it that they are given back in the end.
bool may_keep() noexcept {
  if (kept || has_ended) return kept;
  kept = new (std::nothrow) Kept;
  if (!kept) return false;
  static thread_local DrainAtThreadExit at_exit;
  lists = &kept->lists;
  return true;
}

constexpr std::size_t kPage = 4096;
constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

[[gnu::noinline]] void* allocate_large(std::size_t bytes) {
  if (!kPooling) return system_allocate(bytes);
  const std::size_t rounded = whole_pages(bytes);
  if (rounded < bytes) throw std::bad_alloc();
  in_use.add(rounded);
  if (kept) {
    if (void* block = kept->large.take(rounded)) {
      in_use.note_most();
      return block;
    }
    kept->large.make_room();
  }
  try {
    void* block = system_allocate(rounded);
    ask_for_large_pages(block, rounded);
    in_use.note_most();
    return block;
  } catch (...) {
    in_use.remove(rounded);
    throw;
  }
}

[[gnu::noinline]] void deallocate_large(void* block, std::size_t bytes) noexcept {
  if (kPooling) in_use.remove(whole_pages(bytes));
  if (!kPooling || !may_keep() || !kept->large.put(block, whole_pages(bytes))) std::free(block);
}

void keep(void* block, std::size_t size_class) noexcept {
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = lists->head[size_class];
  lists->head[size_class] = free_block;
  --lists->room[size_class];
}

[[gnu::noinline]] void keep_first_or_free(void* block, std::size_t size_class) noexcept {
  if (!kept && may_keep()) return keep(block, size_class);
  std::free(block);
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (!kPooling || bytes > kLargestBlock) [[unlikely]]
    return allocate_large(bytes);
  const std::size_t size_class = class_of(bytes);
  Lists& mine = *lists;
  FreeBlock* block = mine.head[size_class];
  if (!block) [[unlikely]]
    return system_allocate((size_class + 1) * kGranule);
  mine.head[size_class] = block->next;
  ++mine.room[size_class];
  return block;
}

template <std::size_t granules>
void* allocate_granules() {
  if (!kPooling) return system_allocate(granules * kGranule);
  Lists& mine = *lists;
  FreeBlock* block = mine.head[granules - 1];
  if (!block) [[unlikely]]
    return system_allocate(granules * kGranule);
  mine.head[granules - 1] = block->next;
  ++mine.room[granules - 1];
  return block;
}
template void* allocate_granules<1>();
template void* allocate_granules<2>();

void deallocate(void* block, std::size_t bytes) noexcept {
  if (!kPooling || bytes > kLargestBlock) [[unlikely]]
    return deallocate_large(block, bytes);
  const std::size_t size_class = class_of(bytes);
  if (lists->room[size_class] == 0) [[unlikely]]
    return keep_first_or_free(block, size_class);
  keep(block, size_class);
}

void trim() noexcept {
  if (kept) kept->drain();
}

}  // namespace notape::pool
