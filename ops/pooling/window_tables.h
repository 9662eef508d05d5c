// Windows in up to three dimensions, and the kernel that finds their maxima.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// The windows along one dimension of `size` entries: from begin to end in steps, inside the image.
struct WindowTable {
  int64_t size = 1, step = 1;
  std::vector<int64_t> begin = {0}, end = {1};

  int64_t count() const { return static_cast<int64_t>(begin.size()); }
};
/// Of a depth, height and width; missing dimensions are of one entry.
using WindowTables = std::array<WindowTable, 3>;

/// x (volumes, D, H, W) -> int64 positions (volumes, D', H', W'), both row-major. NaN is the
/// largest, of equals the first.
using MaxWindowsKernel = Kernel<void(const Operation&, const Tensor& indices, const Tensor& x,
                                     const WindowTables& tables)>;
extern MaxWindowsKernel max_windows_kernel;

}  // namespace notape
