// PinnedAllocator: memory of the CPU that GPUs read without its help. Pinning pages takes the
// driver long and waits for the devices, so blocks that are given back serve later requests of
// about their size, each when the copies out of it are done.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/runtime/stream.h"

namespace notape::cuda {

struct PinnedStats {
  std::size_t in_use = 0, reserved = 0;  ///< bytes of live blocks, and with those kept for later
  uint64_t requests = 0, driver_allocates = 0;
};

/// Thread-safe.
class PinnedAllocator {
 public:
  static constexpr std::size_t kPage = 4096;

  explicit PinnedAllocator(Driver& driver) : driver_(driver) {}
  ~PinnedAllocator();
  PinnedAllocator(const PinnedAllocator&) = delete;
  PinnedAllocator& operator=(const PinnedAllocator&) = delete;

  /// Null for 0 bytes. Throws OutOfMemory.
  void* allocate(std::size_t bytes);
  /// What allocate() has returned.
  void deallocate(void* data) noexcept;
  /// The stream's work so far reads the memory, `data` anywhere in a block.
  void record_use(const void* data, const Stream& stream);
  /// Waits for all work that record_use() told of.
  void finish_uses(const void* data);
  /// Gives blocks back to the driver that nobody uses, after waiting for the work on them.
  void empty_cache();

  PinnedStats stats() const;

 private:
  struct Use {
    Stream stream;
    std::shared_ptr<DriverEvent> event;  // somebody may be waiting for it
  };
  struct Block {
    std::size_t bytes;
    bool is_in_use = true;
    std::vector<Use> uses{};  // that may not be done
  };
  using Blocks = std::map<char*, Block>;

  Block* find(const void* data);
  Blocks::iterator take_kept(std::size_t bytes);
  void release_kept();

  Driver& driver_;
  mutable std::mutex lock_;
  Blocks blocks_;  // all, by where they begin
  PinnedStats stats_;
};

}  // namespace notape::cuda
