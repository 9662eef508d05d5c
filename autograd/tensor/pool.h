// Small blocks from per-thread free lists: no malloc and no lock in steady state.
// Blocks may be freed on another thread; they then join that thread's list. Each list has a cap,
// beyond which blocks go back to malloc, so a producer/consumer pair cannot hoard memory.
// Large blocks wait only where less is in use than once was: they add nothing to the peak.
#pragma once
#include <cstddef>
#include <new>
#include <utility>

namespace notape {

namespace pool {

inline constexpr std::size_t kGranule = 64;
inline constexpr std::size_t kLargestBlock = 4096;

/// A block of at least `bytes` bytes, aligned to 64. Throws std::bad_alloc.
void* allocate(std::size_t bytes);
/// allocate(granules * kGranule), but faster: for 1 and 2.
template <std::size_t granules>
void* allocate_granules();
/// `bytes` as given to allocate().
void deallocate(void* block, std::size_t bytes) noexcept;
/// Returns this thread's unused blocks to the system.
void trim() noexcept;

}  // namespace pool

/// Base class that makes `new` and `delete` of a small object use the pool.
struct Pooled {
  static void* operator new(std::size_t bytes) { return pool::allocate(bytes); }
  static void* operator new(std::size_t, void* place) noexcept { return place; }
  static void operator delete(void* block, std::size_t bytes) noexcept {
    pool::deallocate(block, bytes);
  }
};

}  // namespace notape
