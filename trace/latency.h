// Dispatch latency: what one operation costs besides its arithmetic, untraced and traced.
// 2017 paper, 3 (C++ operators): 1.7 us for a tensor operation, 3.4 us for a differentiable one,
// one, both from Python.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "trace/recording.h"

namespace notape::trace {

/// ns per operation: one sample per repetition.
struct Samples {
  std::vector<double> ns;
  double minimum = 0;
  double median = 0;
  double mad = 0;  ///< median absolute deviation from the median
};

struct LatencyRow {
  std::string name;
  std::string what;
  Samples untraced, traced;
  double paper_ns = 0;  ///< the 2017 paper's figure; 0: it gives none

  double tracer_cost_ns() const { return traced.minimum - untraced.minimum; }
};

struct LatencyReport {
  std::string cpu;
  std::string compiler;
  double load = 0;  ///< average of the last minute, before the measurement
  unsigned threads = 0;
  int repetitions = 0;
  int planned = 0;  ///< repetitions; more if the measurement was ended early
  std::vector<LatencyRow> rows;
  RecorderCost recorder_cost;  ///< as the recorder measured itself
};

/// Runs the cases in turn, `repetitions` times over, in batches of at least a millisecond; fewer
/// times, but once, if `enough` says so.
LatencyReport measure_latency(int repetitions, const std::function<bool()>& enough = {});

/// Minimum, median and spread of `ns`, which must not be empty.
Samples make_samples(std::vector<double> ns);

void print_latency(std::ostream& out, const LatencyReport& report);
nlohmann::ordered_json latency_json(const LatencyReport& report);

}  // namespace notape::trace
