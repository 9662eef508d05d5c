// Positions that a user gives, checked where they are read: nobody waits for the answer. For nvcc.
#pragma once
#include "cuda/library/library.h"
#include "ops/index/indirect.h"

namespace notape::cuda {

/// What positions are to be, and who says so if one is not.
struct PositionCheck {
  PositionReport* report;
  PositionBounds bounds;
  const char *name, *file;
  uint32_t line;

  PositionCheck(const Operation& op, const PositionBounds& limits, Device device)
      : report(cuda_device().position_report(device.index)),
        bounds(limits),
        name(op.name),
        file(op.at.file_name()),
        line(op.at.line()) {}

  __device__ bool admits(int64_t position) const {
    if (position >= bounds.least && position < bounds.size) return true;
    if (atomicCAS(&report->is_taken, 0ull, 1ull) == 0) {
      write(report->position, position);
      write(report->dim, bounds.dim);
      write(report->size, bounds.size);
      write(report->name, reinterpret_cast<int64_t>(name));
      write(report->file, reinterpret_cast<int64_t>(file));
      write(report->line, line);
    }
    return false;
  }

 private:
  /// Over a zero: streams may be done in any order.
  static __device__ void write(unsigned long long& place, int64_t value) {
    atomicMax(&place, static_cast<unsigned long long>(value));
  }
};

}  // namespace notape::cuda
