#include "autograd/tensor/memory_observer.h"

#include "autograd/modes/thread_state.h"

namespace notape {
namespace {

std::atomic<uint8_t> current_session{0};
std::atomic<int64_t> allocated_on_cpu{0};

}  // namespace

std::atomic<MemoryObserver*> active_memory_observer{nullptr};

uint8_t set_memory_observer(MemoryObserver* observer) noexcept {
  active_memory_observer.store(nullptr, std::memory_order_relaxed);
  const uint8_t last = current_session.load(std::memory_order_relaxed);
  const uint8_t next = last == UINT8_MAX ? uint8_t{1} : static_cast<uint8_t>(last + 1);
  current_session.store(next, std::memory_order_relaxed);
  allocated_on_cpu.store(0, std::memory_order_relaxed);
  active_memory_observer.store(observer, std::memory_order_release);
  return next;
}

uint8_t tell_cpu_memory(uint8_t session, const void* data, int64_t bytes) noexcept {
  MemoryObserver* const observer = active_memory_observer.load(std::memory_order_acquire);
  if (!observer || session != current_session.load(std::memory_order_relaxed)) {
    if (thread_state.memory_session == session) thread_state.memory_session = 0;
    return 0;
  }
  const int64_t allocated = allocated_on_cpu.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  observer->memory_changed({kCPU, data, bytes, allocated, 0});
  return session;
}

}  // namespace notape
