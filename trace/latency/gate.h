// Bounds on what an operation may cost, for CI.
#pragma once
#include <string>
#include <vector>

#include "trace/analysis/metric.h"

namespace notape::trace {

/// "differentiable.p50<=2.5x tensor.p50": at most 2.5 times another figure; "tensor.p50<=60ns": at
/// most this much, where figures other than times have no unit. ">=" bounds from below. Figures
/// are those of latency_metrics().
struct LatencyGate {
  std::string text, name;
  bool is_upper = true;
  double limit = 0;  ///< a factor if there is another figure; else ns, or a number
  bool is_time = false;
  std::string other;  ///< empty: the limit is no factor

  /// Throws ValueError with the grammar.
  explicit LatencyGate(const std::string& text);

  /// Throws ValueError unless there are such figures, of the gate's unit.
  void check(const std::vector<Metric>& metrics) const;
  /// Empty if it holds; else why not. A figure without data fails. After check().
  std::string failure(const std::vector<Metric>& metrics) const;
};

struct GateVerdict {
  std::string gate;
  std::string failure;  ///< empty: it holds
};

/// The grammar in one line.
extern const char* const kLatencyGateGrammar;

}  // namespace notape::trace
