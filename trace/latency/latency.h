// Dispatch latency: what one operation costs besides its arithmetic, untraced and traced, over
// sizes, and beside other libraries.
// 2017 paper, 3 (C++ operators): 1.7 us for a tensor operation, 3.4 us for a differentiable one,
// both from Python.
#pragma once
#include <functional>
#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "trace/latency/crossover.h"
#include "trace/latency/gate.h"
#include "trace/latency/other_library.h"
#include "trace/latency/recorded_times.h"
#include "trace/latency/samples.h"
#include "trace/latency/work.h"

namespace notape::trace {

/// As the system names the processor, or "unknown".
std::string cpu_model();

struct LatencyOptions {
  int repetitions = 25;           ///< batches of each case
  std::string operation = "add";  ///< one of kWorkOperations
  bool with_curve = false;        ///< sizes from 1 to 65536, too
  std::vector<OtherLibrary> others = {};
  /// Asked between rounds of batches, from the first on: whether to end with those made so far.
  std::function<bool()> enough = {};
};

inline constexpr int64_t kLatencySize = 8;
inline constexpr int64_t kCurveSizes[] = {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536};

/// One class of this library.
struct LatencyRow {
  WorkClass work = WorkClass::Tensor;
  std::string name;
  std::string what;
  Samples untraced, traced;
  RecordedTimes recorded;              ///< single operations, as the recorder saw them
  std::optional<double> instructions;  ///< per operation, outside the kernel
  double paper_ns = 0;                 ///< the 2017 paper's figure; 0: it gives none

  double tracer_cost_ns() const { return traced.minimum - untraced.minimum; }
};

/// Another library's figures, by class; without any, `reason` says why.
struct LibraryRow {
  std::string key, name, reason;
  Samples classes[std::size(kWorkClasses)];
};

/// One class of one library over the sizes.
struct LatencyCurve {
  std::string key;  ///< of the library; empty for this one
  std::string name;
  WorkClass work = WorkClass::Tensor;
  std::vector<int64_t> sizes{};
  std::vector<Samples> samples{};  ///< one for each size

  /// Medians.
  std::vector<CurvePoint> points() const;
};

struct LatencyReport {
  std::string operation = "add";
  std::string cpu;
  std::string compiler;
  std::string date;  ///< "2026-11-26", of UTC
  double load = 0;   ///< average of the last minute, before the measurement
  unsigned threads = 0;
  int repetitions = 0;
  int planned = 0;  ///< repetitions; more if the measurement was ended early
  int64_t took_ns = 0;
  std::string no_instructions;  ///< why there are none
  std::vector<LatencyRow> rows;
  std::vector<LibraryRow> libraries;
  std::vector<LatencyCurve> curves;
  std::vector<GateVerdict> gates;
  RecorderCost recorder_cost;  ///< as the recorder measured itself

  /// Differentiable less tensor operation, of each round; its minimum is the difference of the two
  /// least disturbed batches.
  Samples autograd_overhead() const;
  /// Why figures other than minima are disturbed: other programs on all processors; else empty.
  std::string disturbance() const;
};

/// Without numbers: all rows, libraries and curves that measure_latency() will fill.
LatencyReport planned_latency(const LatencyOptions& options);

/// Runs the cases in turn on one thread, `repetitions` times over, in batches of at least a
/// millisecond, of curves a quarter.
LatencyReport measure_latency(const LatencyOptions& options);

void print_latency(std::ostream& out, const LatencyReport& report);
nlohmann::ordered_json latency_json(const LatencyReport& report);

}  // namespace notape::trace
