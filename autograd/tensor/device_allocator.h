// What a program may ask of a GPU's allocator beyond device_memory.h: a map of its memory, and to
// make place for another allocator.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autograd/tensor/device.h"

namespace notape {

/// Pending: given back, but other streams may not be done with it (record_stream). Inactive: cached
/// for later requests of its stream.
enum class MemoryBlockState : uint8_t { Active, Pending, Inactive };

struct MemoryBlock {
  uint64_t address = 0;
  std::size_t bytes = 0;  ///< rounded up as the allocator does
  MemoryBlockState state = MemoryBlockState::Inactive;
};

/// What was taken from the driver at once, and the blocks that it is cut into, without gaps.
struct MemorySegment {
  Device device;
  uint64_t address = 0;
  std::size_t bytes = 0;
  void* stream = nullptr;  ///< that its memory is for; null: the default stream
  bool is_small = false;   ///< for requests up to 1 MiB
  std::vector<MemoryBlock> blocks;
};

/// All segments of the device, by address. Throws DeviceError as memory_stats() does. (PyTorch:
/// torch.cuda.memory_snapshot)
std::vector<MemorySegment> memory_snapshot(Device device);
/// {"segments": [{"device": 0, "address": ..., "total_size": ..., "stream": ..., "segment_type":
/// "small", "blocks": [{"address": ..., "size": ..., "state": "active_allocated"}, ...]}, ...]}, by
/// the names of PyTorch's snapshot.
std::string to_json(const std::vector<MemorySegment>& snapshot);

/// An allocator of the program's own, for memory of the device on work of the stream, which is
/// current when it is asked for; null for the default stream. Called by any thread.
struct PluggableAllocator {
  /// Null: there is no more, which is OutOfMemory. What is returned is aligned to 512 bytes, on the
  /// CPU to 64.
  std::function<void*(std::size_t bytes, int device, void* stream)> allocate;
  /// Work on the stream may still use the memory; what record_stream() told of comes before it
  /// there. Must not throw.
  std::function<void(void* data, std::size_t bytes, int device, void* stream)> release;
};
/// From now on all memory of tensors on devices of this type comes from there, and nothing is
/// cached. Throws ValueError if a GPU has given memory to somebody already, or a function is empty;
/// DeviceError if there is no such device or it has no place for another allocator. On the CPU it
/// may be called at any time: memory goes back to where it came from; two empty functions bring the
/// built-in allocator back. (PyTorch: torch.cuda.memory.change_current_allocator,
/// CUDAPluggableAllocator; LibTorch: c10::SetCPUAllocator)
void change_current_allocator(DeviceType type, PluggableAllocator allocator);
/// Of the CPU; null: the built-in one.
extern std::atomic<const PluggableAllocator*> own_cpu_allocator;

/// A DeviceInterface that offers this is one of these, too.
class DeviceAllocator {
 public:
  virtual ~DeviceAllocator() = default;
  virtual std::vector<MemorySegment> memory_snapshot(int index) = 0;
  virtual void change_allocator(PluggableAllocator allocator) = 0;
};

}  // namespace notape
