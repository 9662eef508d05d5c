// The time of each op before its first launch, and outside the ops that it calls.
#pragma once
#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace notape::trace {

/// One number for each op that has one, in ns.
struct DispatchSamples {
  std::vector<int64_t> pre_launch;  ///< start of the op to its first kernel launch
  std::vector<int64_t> end_to_end;  ///< start of the op to the start of what that launched
  std::vector<int64_t> host_self;   ///< without ops and API calls inside
  std::vector<int64_t> host_total;
  std::vector<int64_t> around_host_kernel;  ///< without the arithmetic, of ops on the CPU
};

/// Whether a call puts kernels on the GPU, as far as its name shows.
bool is_kernel_launch(const ApiCall& call);

class DispatchTimes {
 public:
  explicit DispatchTimes(const TraceModel& model);

  /// Of launches that have no other op around them inside the op.
  void add(std::size_t op, DispatchSamples& samples) const {
    add(op, rows_[op].first_launch, samples);
  }
  /// Of a backward node: of launches at any depth.
  void add_backward(std::size_t op, DispatchSamples& samples) const {
    add(op, rows_[op].launch_anywhere, samples);
  }
  /// The op without ops and API calls inside, in ns.
  int64_t host_self(std::size_t op) const;
  /// A backward node, or inside one.
  bool is_backward(std::size_t op) const { return rows_[op].root != kNowhere; }

 private:
  struct Row {
    const ApiCall* first_launch = nullptr;
    const ApiCall* launch_anywhere = nullptr;
    std::vector<Interval> children;
    int64_t host_kernel_ns = 0;
    bool has_host_kernel = false;
    Place root = kNowhere;  ///< the outermost backward node around it
  };

  Row& of(Place op) { return rows_[static_cast<std::size_t>(op)]; }
  void add(std::size_t op, const ApiCall* launch, DispatchSamples& samples) const;

  const TraceModel& model_;
  std::vector<Row> rows_;
};

}  // namespace notape::trace
