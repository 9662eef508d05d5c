// PluggedAllocator: a program's own allocator in place of the caching ones. It remembers what a
// release has to say of each piece of memory, and nothing else.
#pragma once
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "autograd/tensor/device_allocator.h"
#include "cuda/runtime/driver.h"

namespace notape::cuda {

/// Of all devices. Thread-safe.
class PluggedAllocator {
 public:
  PluggedAllocator(Driver& driver, PluggableAllocator functions)
      : driver_(driver), functions_(std::move(functions)) {}

  /// Null for 0 bytes. Throws OutOfMemory.
  void* allocate(std::size_t bytes, int device, StreamHandle stream);
  void deallocate(void* data) noexcept;
  /// Work on another stream uses the memory: its release comes after that on its own stream.
  void record_use(void* data, StreamHandle stream);

 private:
  struct Piece {
    std::size_t bytes;
    int device;
    StreamHandle stream;
    std::set<StreamHandle> other_streams{};
  };

  Driver& driver_;
  const PluggableAllocator functions_;
  std::mutex lock_;
  std::unordered_map<void*, Piece> pieces_;
};

}  // namespace notape::cuda
