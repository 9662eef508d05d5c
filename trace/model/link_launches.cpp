#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "trace/model/model_structure.h"

namespace notape::trace {

void link_launches(TraceModel& model) {
  // Of calls that share a correlation the first counts; 0 is none.
  std::unordered_map<int64_t, uint32_t> call_of;
  call_of.reserve(model.calls.size());
  for (uint32_t i = 0; i < model.calls.size(); ++i) {
    if (model.calls[i].correlation == 0) continue;
    if (!call_of.try_emplace(model.calls[i].correlation, i).second)
      ++model.counts.shared_correlations;
  }
  std::vector<uint32_t>& launched = model.launched;
  for (uint32_t i = 0; i < model.gpu_ops.size(); ++i) {
    GpuOp& op = model.gpu_ops[i];
    const auto call = op.correlation ? call_of.find(op.correlation) : call_of.end();
    if (call == call_of.end()) {
      ++model.counts.unlinked;
      continue;
    }
    const Interval launch = model.calls[call->second].time;
    if (op.time.begin < launch.begin) {
      op.is_early = true;
      ++model.counts.early;
      continue;
    }
    model.counts.started_in_call += op.time.begin < launch.end;
    op.call = call->second;
    launched.push_back(i);
  }
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

}  // namespace notape::trace
