#include "bench/gates/allocations.h"

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

static std::atomic<uint64_t> calls{0};

namespace notape::bench {

uint64_t allocation_calls() noexcept { return calls.load(); }

}  // namespace notape::bench

extern "C" {

void* malloc(std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : ENOMEM;
}
void free(void* block) { __libc_free(block); }

}  // extern "C"
