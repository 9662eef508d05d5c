#include "autograd/tensor/counters.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

namespace notape {

namespace detail {

constinit thread_local ThreadCounters thread_counters{};

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<ThreadCounters*> threads;
  int64_t ended[kCounters] = {};
};

// Never destroyed: threads may end after static destruction has begun.
Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

struct LeaveAtThreadExit {
  ~LeaveAtThreadExit() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    std::erase(all.threads, &thread_counters);
    for (int i = 0; i < kCounters; ++i) all.ended[i] += thread_counters.values[i].load();
  }
};

}  // namespace

void register_thread_counters() {
  thread_counters.registered.store(true, std::memory_order_relaxed);
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    all.threads.push_back(&thread_counters);
  }
  static thread_local LeaveAtThreadExit at_exit;
}

}  // namespace detail

Counters counters() {
  detail::Registry& all = detail::registry();
  const std::lock_guard lock(all.mutex);
  int64_t sums[detail::kCounters];
  std::copy_n(all.ended, detail::kCounters, sums);
  for (detail::ThreadCounters* thread : all.threads)
    for (int i = 0; i < detail::kCounters; ++i)
      sums[i] += thread->values[i].load(std::memory_order_relaxed);
  Counters result;
  static_assert(sizeof(result) == sizeof(sums) &&
                static_cast<int>(Count::LogOverflows) + 1 == detail::kCounters);
  std::memcpy(&result, sums, sizeof(result));
  return result;
}

}  // namespace notape
