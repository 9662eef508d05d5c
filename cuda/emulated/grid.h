// The threads of a grid, as fibers on one thread of the CPU.
#pragma once
#include <atomic>
#include <string>

#include "cuda/emulated/emulator.h"
#include "cuda/emulated/include/cuda_runtime.h"

namespace emulator {

/// Of the next grid, for drop_work().
extern Part missing_part;

/// Of the kernel's thread that runs.
struct Place {
  uint32_t launch;      // number of the launch, from 1
  uint32_t thread;      // in the grid
  uint32_t phase;       // how many barriers its block has passed
  uint32_t warp_phase;  // how often its warp has met
  uint32_t block;       // number of the block among all blocks that ever ran
};
/// Of the thread of the host that runs a grid; the others wait for `lock` (see work.h).
extern std::atomic<void*> runner;
extern Place here;
extern const char* stack;  // of the fiber that runs
constexpr std::size_t kStack = 256 << 10;
/// Null outside kernels.
inline const Place* place() {
  return runner.load(std::memory_order_relaxed) == __builtin_thread_pointer() ? &here : nullptr;
}
inline bool is_on_stack(const void* data) {
  return static_cast<std::size_t>(static_cast<const char*>(data) - stack) < kStack;
}
const std::string& kernel_name();
/// Runs all threads; false if a fault has ended it.
bool run_grid(dim3 grid, dim3 block, uint32_t launch, const std::string& name, Thread thread,
              void* arguments);
/// Ends the kernel that runs, as a fault does.
[[noreturn]] void end_kernel();

}  // namespace emulator
