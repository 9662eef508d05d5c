// LaunchRuns: the API calls and GPU ops of each correlation beside each other.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "trace/model/trace_model.h"

namespace notape::trace {

struct LaunchRow {
  int64_t correlation;
  Place group;
  uint32_t place;  ///< in the model's list, which is ordered by time

  auto operator<=>(const LaunchRow&) const = default;
  bool is_of(const LaunchRow& other) const {
    return correlation == other.correlation && group == other.group;
  }
};

class LaunchRuns {
 public:
  /// `group(row)` of calls and of ops: those of different groups have nothing in common.
  template <typename CallGroup, typename OpGroup>
  LaunchRuns(const TraceModel& model, CallGroup call_group, OpGroup op_group) {
    for (uint32_t i = 0; i < model.calls.size(); ++i)
      if (const ApiCall& call = model.calls[i]; call.correlation != 0)
        calls_.push_back({call.correlation, call_group(call), i});
    for (uint32_t i = 0; i < model.gpu_ops.size(); ++i)
      if (const GpuOp& op = model.gpu_ops[i]; op.correlation != 0)
        ops_.push_back({op.correlation, op_group(op), i});
      else
        ++without_correlation_;
    std::sort(calls_.begin(), calls_.end());
    std::sort(ops_.begin(), ops_.end());
  }

  /// GPU ops without one; 0 is none.
  uint64_t without_correlation() const { return without_correlation_; }

  /// `visit(calls, ops)` for each correlation and group of either, both by time.
  template <typename Visit>
  void visit(Visit visit) const {
    auto call = calls_.begin();
    auto op = ops_.begin();
    while (call != calls_.end() || op != ops_.end()) {
      const bool is_of_call = op == ops_.end() || (call != calls_.end() && first(*call, *op));
      const LaunchRow& key = is_of_call ? *call : *op;
      const auto rest = [&](auto& at, const std::vector<LaunchRow>& rows) {
        const auto begin = at;
        while (at != rows.end() && at->is_of(key)) ++at;
        return std::span<const LaunchRow>(begin, at);
      };
      const auto calls = rest(call, calls_), ops = rest(op, ops_);
      visit(calls, ops);
    }
  }

 private:
  static bool first(const LaunchRow& a, const LaunchRow& b) {
    return a.correlation != b.correlation ? a.correlation < b.correlation : a.group <= b.group;
  }

  std::vector<LaunchRow> calls_, ops_;
  uint64_t without_correlation_ = 0;
};

}  // namespace notape::trace
