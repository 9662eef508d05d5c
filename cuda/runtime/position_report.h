// What a kernel says of a position that leads out of a tensor: the call has returned by then. It is
// in memory of the CPU that kernels write to, and becomes an error of the next call that waits.
#pragma once
#include <cstdint>

namespace notape::cuda {

/// Of the first such position since the last error. All zeros until then.
struct PositionReport {
  unsigned long long is_taken;  ///< by the kernel that writes the rest
  unsigned long long position, dim, size;
  unsigned long long name, file, line;  ///< of the operator, and of its call
};

}  // namespace notape::cuda
