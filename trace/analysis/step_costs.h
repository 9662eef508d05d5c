// StepCosts: what the host does in each step, by name, and what of it a step takes longer for than
// the median step.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/scope.h"

namespace notape::trace {

enum class CostKind : unsigned char {
  OpSelf,   ///< an op without the ops and API calls in it
  ApiCall,  ///< that is in no other one
  Outside,  ///< no thread is in an op or a call
  Range,    ///< a user's; it may hold any of the former
  GpuOp,    ///< launched in the step, whenever it runs
};
constexpr std::size_t kCostKinds = 5;
const char* cost_kind_name(CostKind kind);

/// What a step spends on something, beside the median over all steps; one that does not have it
/// counts as 0.
struct StepCost {
  CostKind kind = CostKind::OpSelf;
  std::string_view name = {};
  int64_t ns = 0, median_ns = 0;
  int64_t more() const { return ns - median_ns; }
};

class StepCosts {
 public:
  /// Windows of host time, one a step. Costs a pass over what lies in them.
  StepCosts(const Scope& scope, const std::vector<Interval>& windows);

  /// What the step takes longer for, most first.
  std::vector<StepCost> more_in(std::size_t step) const;
  /// Of the same kind only, at most so many.
  std::vector<StepCost> more_in(std::size_t step, CostKind kind, std::size_t most) const;
  /// What the median step has, in no order; `ns` is the median, too.
  std::vector<StepCost> medians() const;
  int64_t total(std::size_t step, CostKind kind) const { return totals_[step][kind_place(kind)]; }

 private:
  struct Row {
    CostKind kind;
    std::string_view name;
    int64_t median_ns;
  };
  static std::size_t kind_place(CostKind kind) { return static_cast<std::size_t>(kind); }

  std::vector<Row> rows_;
  std::vector<std::vector<std::pair<uint32_t, int64_t>>> of_step_;  // place in rows_, ns
  std::vector<std::vector<int64_t>> totals_;
};

/// A range of the program's own, and not a mark of a step.
bool is_user_range(const TraceModel& model, const Annotation& annotation);

}  // namespace notape::trace
