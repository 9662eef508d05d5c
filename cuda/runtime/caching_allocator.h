// CachingAllocator: device memory that is kept when it is freed. cudaFree waits for the device, so
// blocks go back to a pool instead and serve the next request of their stream at once.
// 2019 paper, 5.3: requests are rounded up to multiples of 512 bytes, and there is one pool per
// stream: within a stream, memory may be reused before the work on it is done.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "autograd/tensor/device_allocator.h"
#include "autograd/tensor/device_memory.h"
#include "cuda/runtime/driver.h"

namespace notape::cuda {

/// Of one device. Thread-safe.
class CachingAllocator {
 public:
  static constexpr std::size_t kGranule = 512;
  /// Requests up to kSmall share segments of kSmallSegment; larger ones get segments of their own,
  /// rounded up to multiples of it.
  static constexpr std::size_t kSmall = std::size_t{1} << 20, kSmallSegment = std::size_t{2} << 20;

  CachingAllocator(Driver& driver, int device) : driver_(driver), device_(device) {}
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  /// Memory for work on `stream`; null for 0 bytes. Throws OutOfMemory.
  void* allocate(std::size_t bytes, StreamHandle stream);
  /// Gives memory back to the pool of the stream it was allocated for.
  void deallocate(void* data) noexcept;
  /// Says that work on another stream uses the memory, too: once freed, it is not reused before
  /// that work is done.
  void record_use(void* data, StreamHandle stream);
  /// Gives all segments back to the driver of which no part is in use.
  void empty_cache();
  /// Without caching every request goes to the driver, and freeing waits for the device, as
  /// cudaFree does: for comparison, and so that an access beyond the end of a tensor is one beyond
  /// the end of its memory. NOTAPE_NO_CUDA_MEMORY_CACHING=1 starts without. (PyTorch:
  /// PYTORCH_NO_CUDA_MEMORY_CACHING)
  void set_caching(bool on);

  /// Never more than so many bytes from the driver: then it counts as out of memory.
  void set_limit(std::size_t bytes);

  MemoryStats stats() const;
  void reset_peaks();
  std::vector<MemorySegment> snapshot() const;

 private:
  /// A piece of a segment. Neighbours in memory are linked, so that free ones can merge.
  struct Block {
    char* data;
    std::size_t bytes;
    StreamHandle stream;
    bool is_small;
    bool is_free = false;
    Block* before = nullptr;
    Block* after = nullptr;
    std::set<StreamHandle> other_streams{};
    int pending_events = 0;

    bool is_in_use() const { return !is_free && pending_events == 0; }
  };
  /// Best fit: the smallest that is large enough, of these the lowest in memory.
  struct BySize {
    using is_transparent = void;
    bool operator()(const Block* a, const Block* b) const {
      return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
    }
    bool operator()(const Block* a, std::size_t bytes) const { return a->bytes < bytes; }
    bool operator()(std::size_t bytes, const Block* b) const { return bytes < b->bytes; }
  };
  using Pool = std::set<Block*, BySize>;
  struct PendingEvent {
    EventHandle event;
    Block* block;
  };

  Pool& pool_of(const Block& block) { return pools_[{block.stream, block.is_small}]; }
  Block* take_cached(std::size_t bytes, StreamHandle stream);
  Block* take_new_segment(std::size_t bytes, std::size_t segment, StreamHandle stream);
  bool is_within_limit(std::size_t bytes) const;
  void* driver_allocate(std::size_t bytes);
  void split(Block& block, std::size_t bytes);
  void await(Block* block, StreamHandle stream) noexcept;
  void make_free(Block* block);
  Block* merge(Block* left, Block* right);
  void release_cached() noexcept;
  void release(Block* block) noexcept;
  void settle_events(bool wait);
  /// The block was taken (1) or given back (-1).
  void tell_observer(const Block& block, int sign) const noexcept;
  /// No segment of so many bytes was to be had.
  [[noreturn]] void fail(std::size_t bytes, std::size_t segment) const;

  Driver& driver_;
  const int device_;
  mutable std::mutex lock_;
  std::map<std::pair<StreamHandle, bool>, Pool> pools_;
  std::unordered_map<void*, std::unique_ptr<Block>> blocks_;  // all, by where they begin
  std::vector<PendingEvent> pending_;
  MemoryStats stats_;
  bool caches_ = true;
  std::size_t limit_ = SIZE_MAX;
};

}  // namespace notape::cuda
