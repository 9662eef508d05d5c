// The figures of a latency measurement by name, each with what it is worth.
#pragma once
#include <vector>

#include "trace/analysis/report.h"
#include "trace/latency/latency.h"

namespace notape::trace {

/// Of each class ("tensor", "differentiable", "backward"): CLASS.minimum, .p50, .p95, .mean
/// (untraced), .traced.p50, .tracer_cost, .total.p50, .p95, .mean, .self.p50, .p95, .mean (single
/// operations, recorded), .pre_launch.p50, .instructions; autograd_overhead.minimum, .p50, .p95,
/// .mean; of each other library KEY.CLASS.p50, .p95, .mean, .ratio; of a curve
/// curve.[KEY.]CLASS.dispatch, .per_1000, .crossover. Which there are does not depend on what was
/// measured.
std::vector<Metric> latency_metrics(const LatencyReport& report);

/// The same with tables of curves and gates, for CSV.
Report latency_figures(const LatencyReport& report);

}  // namespace notape::trace
