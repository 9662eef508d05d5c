// Training throughput of models: ours and others' steps in processes of their own, which take
// turns.
#pragma once
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "paper_examples/models/workload.h"

namespace notape::command::bench {

struct ThroughputOptions {
  models::Scale scale = models::Scale::Small;
  std::string device = "cpu", math = "fp32";
  std::vector<std::string> pythons;  ///< with PyTorch, to measure beside ours
  int64_t samples = 0;               ///< of a batch; 0: each model's own
  int warmup = 1, steps = 3, repeats = 5, threads = 1;
};

/// Numbers of several repeats.
struct Spread {
  std::vector<double> values;
  double mean = 0, deviation = 0;  ///< with n - 1; 0 for one value
  double median = 0, mad = 0;      ///< median absolute deviation from the median

  Spread() = default;
  explicit Spread(std::vector<double> values);
};

/// One process's.
struct SideResult {
  std::string name;             ///< "PyTorch 2.15.0, Python 3.11.7", or the program
  std::string reason;           ///< why there are no numbers; else empty
  Spread rate;                  ///< units a second, a value per repeat
  std::vector<double> seconds;  ///< of that many steps each
  double cpu_seconds = 0;       ///< of all processors, for a step
  double peak_bytes = 0;        ///< the most memory in use, libraries included
};

struct ThroughputRow {
  const models::WorkloadKind* kind = nullptr;
  int64_t samples = 0;
  int steps = 0;               ///< of a repeat
  double units = 0, flop = 0;  ///< of a step
  SideResult ours;
  std::vector<SideResult> others;
  std::vector<Spread> ratios;  ///< ours to each of the others, of repeats that took turns
  std::string shares;          ///< JSON: where the time of one recorded step of ours goes

  /// Which part of `peak` GFLOP/s our median rate makes use of.
  double part_of(double peak) const;
};

struct ThroughputReport {
  ThroughputOptions options;
  double peak_gflops = 0;  ///< of a large product of ours, on this host; 0: not measured
  std::string load_before, load_after;  ///< /proc/loadavg
  std::vector<ThroughputRow> rows;
};

/// Measures one model after the other. Progress, a line a model, goes to `progress`. What cannot be
/// measured is in the report with its reason. An interruption ends it, with the models measured so
/// far.
ThroughputReport measure_throughput(const std::vector<const models::WorkloadKind*>& models,
                                    const ThroughputOptions& options, std::ostream& progress);

/// The table, memory, where a step's time goes, and the paper's claim from the paper's numbers.
void print_throughput(std::ostream& out, const ThroughputReport& report);
nlohmann::ordered_json throughput_json(const ThroughputReport& report);

}  // namespace notape::command::bench
