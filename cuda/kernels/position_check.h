// What a user gives and a kernel finds to be wrong: nobody waits for the answer. For nvcc.
#pragma once
#include <bit>

#include "cuda/library/library.h"
#include "ops/core/check_values.h"
#include "ops/index/indirect.h"

namespace notape::cuda {

/// Tells of the first of a device's mistakes (position_report.h).
class Report {
 public:
  Report(const Operation& op, Device device)
      : report_(cuda_device().position_report(device.index)),
        name_(op.name),
        file_(op.at.file_name()),
        line_(op.at.line()) {}

  __device__ void of_position(int64_t position, const PositionBounds& bounds) const {
    if (!take(position)) return;
    write(report_->dim, bounds.dim);
    write(report_->size, bounds.size);
  }
  __device__ void of_value(double value, int64_t place, const ValueBounds& bounds) const {
    if (!take(std::bit_cast<int64_t>(value))) return;
    write(report_->dim, place);
    write(report_->size, static_cast<int64_t>(bounds.error));
    write(report_->words, reinterpret_cast<int64_t>(bounds.words));
  }

 private:
  __device__ bool take(int64_t wrong) const {
    if (atomicCAS(&report_->is_taken, 0ull, 1ull) != 0) return false;
    write(report_->wrong, wrong);
    write(report_->name, reinterpret_cast<int64_t>(name_));
    write(report_->file, reinterpret_cast<int64_t>(file_));
    write(report_->line, line_);
    return true;
  }
  /// Over a zero: streams may be done in any order.
  static __device__ void write(unsigned long long& place, int64_t value) {
    atomicMax(&place, static_cast<unsigned long long>(value));
  }

  PositionReport* report_;
  const char *name_, *file_;
  uint32_t line_;
};

/// What positions are to be, and who says so if one is not.
struct PositionCheck {
  Report report;
  PositionBounds bounds;

  PositionCheck(const Operation& op, const PositionBounds& limits, Device device)
      : report(op, device), bounds(limits) {}

  __device__ bool admits(int64_t position) const {
    if (position >= bounds.least && position < bounds.size) return true;
    report.of_position(position, bounds);
    return false;
  }
};

}  // namespace notape::cuda
