// Counters: what is alive and what was done, for tests and reports. Each thread counts for itself
// with plain stores; counters() adds the threads up. Exact when the other threads are quiet.
#pragma once
#include <atomic>
#include <cstdint>

namespace notape {

struct Counters {
  int64_t live_tensors = 0, live_nodes = 0, live_storages = 0, live_bytes = 0;
  int64_t saved_bytes = 0;
  int64_t nodes_created = 0, view_nodes = 0, rebase_nodes = 0;
  int64_t self_copies = 0, cow_copies = 0, hook_copies = 0, log_overflows = 0;
};

/// The sum over all threads, those that have ended included.
Counters counters();

namespace detail {

inline constexpr int kCounters = sizeof(Counters) / sizeof(int64_t);

struct ThreadCounters {
  std::atomic<int64_t> values[kCounters];
  std::atomic<bool> registered;
};
extern constinit thread_local ThreadCounters thread_counters;

void register_thread_counters();

}  // namespace detail

/// The counters by position, so that counting is one addition: see counters.cpp for the check.
enum class Count : uint8_t {
  LiveTensors,
  LiveNodes,
  LiveStorages,
  LiveBytes,
  SavedBytes,
  NodesCreated,
  ViewNodes,
  RebaseNodes,
  SelfCopies,
  CowCopies,
  HookCopies,
  LogOverflows
};

inline void count(Count which, int64_t amount = 1) {
  detail::ThreadCounters& mine = detail::thread_counters;
  if (!mine.registered.load(std::memory_order_relaxed)) [[unlikely]]
    detail::register_thread_counters();
  std::atomic<int64_t>& value = mine.values[static_cast<int>(which)];
  value.store(value.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

}  // namespace notape
