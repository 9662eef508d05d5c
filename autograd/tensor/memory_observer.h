// MemoryObserver: sees the memory of tensors come and go: that of the CPU, and what the caching
// allocators of devices hand out. Off, it costs one test per storage; trace/ implements it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "autograd/tensor/device.h"

namespace notape {

/// Memory that a tensor got or gave back.
struct MemoryChange {
  Device device;
  const void* data;
  int64_t bytes;  ///< negative: given back
  int64_t
      allocated;  ///< with this change; on the CPU, of what was allocated since the observer came
  int64_t reserved;  ///< taken from the system by the allocator; 0 on the CPU, as LibTorch has it
};

class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  /// Called on the thread that allocates or frees, perhaps under an allocator's lock: neither
  /// throws nor makes a tensor.
  virtual void memory_changed(const MemoryChange& change) noexcept = 0;
};

extern std::atomic<MemoryObserver*> active_memory_observer;

/// Installs an observer for the whole process (nullptr: none) and returns the number of its
/// session, 1 to 255. It sees the CPU memory that threads allocate while their
/// ThreadState::memory_session has this number, whoever frees it. The caller keeps it alive until
/// no thread that saw it can still call it.
uint8_t set_memory_observer(MemoryObserver* observer) noexcept;

/// Notifies the observer of CPU memory and returns `session`; 0 if that is over.
uint8_t tell_cpu_memory(uint8_t session, const void* data, int64_t bytes) noexcept;

}  // namespace notape
