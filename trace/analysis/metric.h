// Metric: one figure with everything that says what it is worth.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "trace/analysis/value.h"

namespace notape::trace {

/// What a figure is about. Times count from TraceModel::origin.
struct Window {
  std::string kind = "file";  ///< or "step", "steps"
  std::string name;
  int64_t start_ns = 0, end_ns = 0;
};

struct Metric {
  std::string name;  ///< "idle.host_wait"
  Value value;       ///< nothing: no data, never 0
  std::string unit;
  uint64_t n = 0;  ///< of the things counted or averaged
  Window window;
  std::optional<int64_t> device, stream;
  std::string process;  ///< of a file of several
  std::map<std::string, uint64_t> excluded;
  std::string reason;          ///< why not to rely on it; empty if nothing speaks against it
  std::string clock = "file";  ///< that times are of; "steady": of this run

  bool is_reliable() const { return reason.empty() && !value.is_nothing(); }
  /// One JSON object: metric, value, unit, n, window, clock, excluded, reliable, reason; device and
  /// stream where it is about one; process in a file of several.
  std::string json() const;
};

}  // namespace notape::trace
