// The threads of a grid, as fibers on one thread of the CPU.
#pragma once
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
/// Null outside kernels.
const Place* place();
const std::string& kernel_name();
bool is_on_stack(const void* data);
/// Runs all threads; false if a fault has ended it.
bool run_grid(dim3 grid, dim3 block, uint32_t launch, const std::string& name, Thread thread,
              void* arguments);
/// Ends the kernel that runs, as a fault does.
[[noreturn]] void end_kernel();

}  // namespace emulator
