// Two traces side by side, and bounds on what may change between them.
#pragma once
#include <string>
#include <vector>

#include "trace/analysis/report.h"
#include "trace/analysis/scope.h"

namespace notape::trace {

/// "dispatch.p50<=+5%": the median of B may be at most 5 % above that of A. With a sign and without
/// "%" the bound is on the difference, "idle.host_wait<=+100"; without a sign on B's median alone,
/// "queue_ahead.corrected>=2.5". Times are in us.
struct Gate {
  enum class Bound { Percent, Difference, Value };

  std::string text, metric;
  bool is_upper = true;
  Bound bound = Bound::Value;
  double limit = 0;

  /// Throws ValueError.
  explicit Gate(const std::string& text);
};

/// What a gate needs to fail.
enum class GateRule {
  Median,  ///< B's median is beyond the bound
  /// Also B's interval is apart from A's; from the bound if that is a value, and from A's interval
  /// as much changed as the bound demands if it demands a change. Of too few steps for that (fewer
  /// than 4 of each, say) the medians decide.
  Significant,
};

struct DiffResult {
  Report report;
  std::vector<std::string> failed;  ///< gates that do not hold, and why, a line each
};

/// Medians across all steps, with 95 % intervals. A gate on a figure that one of the traces has not
/// fails. Throws ValueError for a gate on a figure that there is not.
DiffResult diff(const TraceModel& a, const TraceModel& b, const Selection& selection,
                const std::vector<Gate>& gates, GateRule rule = GateRule::Median);

}  // namespace notape::trace
