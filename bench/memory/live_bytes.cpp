#include "bench/memory/live_bytes.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

// glibc's own allocator under its internal names.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

static std::atomic<int64_t> live{0};
static std::atomic<int64_t> peak{0};

static void count(int64_t bytes) noexcept {
  const int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t before = peak.load(std::memory_order_relaxed);
  while (now > before && !peak.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}
static int64_t size_of(void* block) noexcept {
  return block ? static_cast<int64_t>(malloc_usable_size(block)) : 0;
}
static void* counted(void* block) noexcept {
  count(size_of(block));
  return block;
}

namespace memory {

int64_t live_bytes() noexcept { return live.load(); }
int64_t peak_bytes() noexcept { return peak.load(); }
void reset_peak() noexcept { peak.store(live.load()); }

}  // namespace memory

extern "C" {

void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }
void* calloc(std::size_t number, std::size_t bytes) {
  return counted(__libc_calloc(number, bytes));
}
void* realloc(void* block, std::size_t bytes) {
  const int64_t before = size_of(block);
  void* const moved = __libc_realloc(block, bytes);
  if (moved || bytes == 0) count(size_of(moved) - before);
  return moved;
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  *result = memalign(alignment, bytes);
  return *result ? 0 : ENOMEM;
}
void free(void* block) {
  count(-size_of(block));
  __libc_free(block);
}

}  // extern "C"
