// What a kernel says of a position that leads out of a tensor, or of a value out of its bounds: the
// call has returned by then. It is in memory of the CPU that kernels write to, and becomes an error
// of the next call that waits.
#pragma once
#include <cstdint>

namespace notape::cuda {

/// Of the first such since the last error. All zeros until then.
struct PositionReport {
  unsigned long long is_taken;          ///< by the kernel that writes the rest
  unsigned long long wrong;             ///< the position, or the bits of the value as a double
  unsigned long long dim, size;         ///< of a value: its place, and which error it is
  unsigned long long words;             ///< of a value: what is said, {} being the value
  unsigned long long name, file, line;  ///< of the operator, and of its call
};

}  // namespace notape::cuda
