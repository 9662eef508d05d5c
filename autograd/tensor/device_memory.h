// Memory of a device, as its allocator sees it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "autograd/tensor/device.h"

namespace notape {

/// Bytes and counts since the program began. (PyTorch: torch.cuda.memory_stats)
struct MemoryStats {
  std::size_t allocated = 0,
              peak_allocated = 0;               ///< bytes in use, rounded up as the allocator does
  std::size_t reserved = 0, peak_reserved = 0;  ///< bytes taken from the driver
  std::size_t active_blocks = 0, cached_blocks = 0;
  uint64_t requests = 0;    ///< allocations asked for
  uint64_t cache_hits = 0;  ///< of these, served without the driver
  uint64_t driver_allocates = 0, driver_releases = 0;
  uint64_t retries = 0;  ///< the driver was out of memory until the cache was emptied
};

// Each throws DeviceError for a device that is not there, and for one that keeps no such account,
// as the CPU (see Counters for its memory).

MemoryStats memory_stats(Device device);
/// Peaks begin again at what is in use now.
void reset_peak_memory_stats(Device device);
/// Gives the driver back what no tensor uses. (PyTorch: torch.cuda.empty_cache)
void empty_cache(Device device);
/// From now on more than this part of the device's memory, 0 to 1, is OutOfMemory. Throws
/// ValueError for another number. (PyTorch: torch.cuda.set_per_process_memory_fraction)
void set_per_process_memory_fraction(double fraction, Device device);

}  // namespace notape
