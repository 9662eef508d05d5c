// Of each op [p, q): pre_launch = a_first - p, where its first kernel launch [a, b) has no other op
// around it inside the op; end_to_end = start of what that launched - p; host_self = the op without
// what it calls. A backward node counts from the engine's row to the first launch anywhere in it.
#include <algorithm>
#include <map>
#include <tuple>

#include "trace/analysis/analyses.h"
#include "trace/analysis/quantile.h"
#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

constexpr std::size_t kRows = 20;
constexpr std::size_t kFewestRepetitions = 1'000;

Value at(const std::vector<int64_t>& samples, std::size_t percent) {
  if (samples.empty()) return {};
  return Nanoseconds{quantile(samples, percent)};
}

void add_quantiles(Report& report, const Scope& scope, const std::string& name,
                   const std::vector<int64_t>& samples, unsigned needs, uint64_t outside) {
  for (const std::size_t percent : {50, 95, 99}) {
    report.metrics.push_back(scope.metric(name + ".p" + std::to_string(percent),
                                          at(samples, percent), "us", samples.size(), needs));
    report.metrics.back().excluded["outside_op"] = outside;
  }
}

/// The median cost of recording a node: the same op, shapes, types and thread, often with and often
/// without.
void add_autograd_overhead(Report& report, const Scope& scope, const DispatchTimes& dispatch) {
  const TraceModel& model = scope.model();
  struct Both {
    std::vector<int64_t> with_node, without;
    std::size_t fewest() const { return std::min(with_node.size(), without.size()); }
  };
  std::map<std::tuple<std::string_view, std::string_view, uint32_t>, Both> alike;
  scope.each(model.ops, [&](const HostOp& op) {
    if (dispatch.is_backward(model.place_of(op))) return;
    Both& both = alike[{model.name(op.name), model.name(op.shapes), op.thread}];
    (op.sequence_number >= 0 ? both.with_node : both.without).push_back(op.time.length());
  });
  const auto most = std::max_element(alike.begin(), alike.end(), [](const auto& a, const auto& b) {
    return a.second.fewest() < b.second.fewest();
  });
  const bool is_enough = most != alike.end() && most->second.fewest() >= kFewestRepetitions;
  Metric metric = scope.metric(
      "dispatch.autograd_overhead",
      is_enough ? Value(Nanoseconds{median(most->second.with_node) - median(most->second.without)})
                : Value(),
      "us", is_enough ? most->second.fewest() : 0, kNeedsOps | kNeedsNoStacks | kNeedsFinerUs);
  if (!is_enough && metric.reason == "no data")
    metric.reason = "no op occurs 1,000 times with and 1,000 times without a node";
  report.metrics.push_back(std::move(metric));
}

}  // namespace

Report dispatch(const Scope& scope) {
  const TraceModel& model = scope.model();
  const DispatchTimes& times = scope.file().dispatch_times();
  Report report;
  report.title = "dispatch latency of " + model.path;
  DispatchSamples all, tensor, differentiable, backward;
  std::map<std::string_view, DispatchSamples> by_name;
  scope.each(model.ops, [&](const HostOp& op) {
    const std::size_t i = model.place_of(op);
    times.add(i, by_name[model.name(op.name)]);
    times.add(i, all);
    if (op.is_backward_root) times.add_backward(i, backward);
    if (!times.is_backward(i)) times.add(i, op.sequence_number >= 0 ? differentiable : tensor);
  });
  uint64_t launches = 0, outside = 0;
  scope.each(model.calls, [&](const ApiCall& call) {
    if (!is_kernel_launch(call)) return;
    ++launches;
    outside += call.op == kNowhere;
  });
  const unsigned needs = kNeedsOps | kNeedsNoStacks | kNeedsFinerUs;
  const unsigned gpu_needs = needs | kNeedsGpu | kNeedsLinks;
  add_quantiles(report, scope, "dispatch.pre_launch", all.pre_launch, needs, outside);
  add_quantiles(report, scope, "dispatch.end_to_end", all.end_to_end, gpu_needs, outside);
  add_quantiles(report, scope, "dispatch.host_self", all.host_self, needs, outside);
  add_quantiles(report, scope, "dispatch.tensor.pre_launch", tensor.pre_launch, needs, outside);
  add_quantiles(report, scope, "dispatch.differentiable.pre_launch", differentiable.pre_launch,
                needs, outside);
  add_quantiles(report, scope, "dispatch.backward.pre_launch", backward.pre_launch, needs, outside);
  if (!model.host_kernels.empty())
    add_quantiles(report, scope, "dispatch.cpu", all.around_host_kernel, needs, outside);
  add_autograd_overhead(report, scope, times);
  report.metrics.push_back(
      scope.metric("dispatch.outside_op", outside, "launches", launches, kNeedsNothing));

  Table table{"ops by self time on the host",
              {"op", "n", "self_us", "self p50", "total p50", "launching", "pre_launch p50",
               "pre_launch p95", "end_to_end p50"},
              {}};
  std::vector<std::pair<int64_t, std::string_view>> order;
  for (const auto& [name, samples] : by_name) {
    int64_t self = 0;
    for (const int64_t ns : samples.host_self) self += ns;
    order.push_back({-self, name});
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kRows));
  for (const auto& [self, name] : order) {
    const DispatchSamples& samples = by_name[name];
    table.rows.push_back({std::string(name), samples.host_total.size(), Nanoseconds{-self},
                          at(samples.host_self, 50), at(samples.host_total, 50),
                          samples.pre_launch.size(), at(samples.pre_launch, 50),
                          at(samples.pre_launch, 95), at(samples.end_to_end, 50)});
  }
  report.tables.push_back(std::move(table));
  report.notes.push_back(
      "tensor: the op has no sequence number; differentiable: it has one. In real files most ops "
      "under grad mode carry one");
  return report;
}

}  // namespace notape::trace
