// What g++ -fsanitize=thread puts before each read and write of a kernel, in place of the
// sanitizer's own library. Host code of the same files comes by, too: its accesses are not of a
// kernel, and its atomics (counts of references) are done as written.
#include <cstddef>
#include <cstdint>

#include "cuda/emulated/accesses.h"

namespace {

void read(void* data, std::size_t bytes, const void* code) {
  emulator::check_access(data, bytes, false, false, code);
}
void write(void* data, std::size_t bytes, const void* code) {
  emulator::check_access(data, bytes, true, false, code);
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names are g++'s.
#define NOTAPE_ACCESS(bytes)                                                                     \
  extern "C" void __tsan_read##bytes(void* p) { read(p, bytes, __builtin_return_address(0)); }   \
  extern "C" void __tsan_write##bytes(void* p) { write(p, bytes, __builtin_return_address(0)); } \
  extern "C" void __tsan_unaligned_read##bytes(void* p) {                                        \
    read(p, bytes, __builtin_return_address(0));                                                 \
  }                                                                                              \
  extern "C" void __tsan_unaligned_write##bytes(void* p) {                                       \
    write(p, bytes, __builtin_return_address(0));                                                \
  }
NOTAPE_ACCESS(1)
NOTAPE_ACCESS(2)
NOTAPE_ACCESS(4)
NOTAPE_ACCESS(8)
NOTAPE_ACCESS(16)

extern "C" {
void __tsan_read_range(void* p, std::size_t bytes) { read(p, bytes, __builtin_return_address(0)); }
void __tsan_write_range(void* p, std::size_t bytes) {
  write(p, bytes, __builtin_return_address(0));
}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}

#define NOTAPE_ATOMIC(bits, T)                                                                 \
  extern "C" T __tsan_atomic##bits##_load(const volatile T* p, int) {                          \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
  }                                                                                            \
  extern "C" void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                       \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                            \
  extern "C" T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) {                       \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                        \
  }                                                                                            \
  extern "C" T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int) {                      \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                         \
  }                                                                                            \
  extern "C" T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int) {                      \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                         \
  }                                                                                            \
  extern "C" T __tsan_atomic##bits##_fetch_and(volatile T* p, T v, int) {                      \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                         \
  }                                                                                            \
  extern "C" T __tsan_atomic##bits##_fetch_or(volatile T* p, T v, int) {                       \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                          \
  }                                                                                            \
  extern "C" bool __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* e, T v, int, \
                                                                int) {                         \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
  }                                                                                            \
  extern "C" bool __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* e, T v, int,   \
                                                              int) {                           \
    return __atomic_compare_exchange_n(p, e, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
  }
NOTAPE_ATOMIC(8, uint8_t)
NOTAPE_ATOMIC(16, uint16_t)
NOTAPE_ATOMIC(32, uint32_t)
NOTAPE_ATOMIC(64, uint64_t)
// NOLINTEND(bugprone-reserved-identifier)
