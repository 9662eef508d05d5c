#include <algorithm>

#include "trace/model/launch_runs.h"
#include "trace/model/model_structure.h"

namespace notape::trace {
namespace {

/// Of calls that share a correlation one may lie inside another, a driver's in one of the runtime:
/// they are one launch, and the outer one stands for it.
std::vector<uint32_t> outermost(const TraceModel& model, std::span<const LaunchRow> calls) {
  std::vector<uint32_t> result;
  for (const LaunchRow& row : calls) {
    const ApiCall& call = model.calls[row.place];
    const ApiCall* around = result.empty() ? nullptr : &model.calls[result.back()];
    const bool is_inside =
        around && around->thread == call.thread && call.time.end <= around->time.end;
    if (!is_inside) result.push_back(row.place);
  }
  return result;
}

/// The numbers may come again in one process, as after 2^32 calls: each call has the op after it.
/// Where several calls wait for theirs when an op begins, it may belong to any.
void link_run(TraceModel& model, const std::vector<uint32_t>& calls,
              std::span<const LaunchRow> ops) {
  std::size_t begun = 0, taken = 0;
  bool is_unclear = false;
  for (const LaunchRow& row : ops) {
    GpuOp& op = model.gpu_ops[row.place];
    while (begun < calls.size() && model.calls[calls[begun]].time.begin <= op.time.begin) ++begun;
    if (begun == 0) {
      op.is_early = true;
      ++model.counts.early;
      continue;
    }
    is_unclear |= taken + 1 < begun;
    model.counts.ambiguous_links += is_unclear;
    // More ops than calls: those of a graph, which one call launches.
    op.call = calls[taken < begun ? taken++ : begun - 1];
    is_unclear &= taken < begun;
    model.counts.started_in_call +=
        op.time.begin < model.calls[static_cast<std::size_t>(op.call)].time.end;
  }
}

void gather_launched(TraceModel& model) {
  std::vector<uint32_t>& launched = model.launched;
  launched.clear();
  for (uint32_t i = 0; i < model.gpu_ops.size(); ++i)
    if (model.gpu_ops[i].call != kNowhere) launched.push_back(i);
  std::stable_sort(launched.begin(), launched.end(), [&](uint32_t a, uint32_t b) {
    return model.gpu_ops[a].call < model.gpu_ops[b].call;
  });
  for (uint32_t i = 0; i < launched.size(); ++i) {
    const GpuOp& op = model.gpu_ops[launched[i]];
    ApiCall& call = model.calls[static_cast<std::size_t>(op.call)];
    if (call.gpu_ops++ == 0) call.first_gpu_op = i;
    call.launches_kernel |= op.kind == GpuOpKind::Kernel;
    model.has_graphs |= call.gpu_ops > 1;
  }
}

}  // namespace

void link_launches(TraceModel& model) {
  const LaunchRuns runs(
      model, [&](const ApiCall& call) { return Place{model.threads[call.thread].process}; },
      [](const GpuOp& op) { return op.process; });
  runs.visit([&](std::span<const LaunchRow> calls, std::span<const LaunchRow> ops) {
    model.counts.shared_correlations += calls.size() > 1 ? calls.size() - 1 : 0;
    if (calls.empty())
      model.counts.unlinked += ops.size();
    else
      link_run(model, outermost(model, calls), ops);
  });
  model.counts.unlinked += runs.without_correlation();
  gather_launched(model);
}

}  // namespace notape::trace
