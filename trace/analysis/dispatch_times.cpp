#include "trace/analysis/dispatch_times.h"

#include <algorithm>

namespace notape::trace {

bool is_kernel_launch(const ApiCall& call) {
  return call.launches_kernel || call.kind == ApiKind::KernelLaunch ||
         call.kind == ApiKind::GraphLaunch;
}

DispatchTimes::DispatchTimes(const TraceModel& model) : model_(model), rows_(model.ops.size()) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const HostOp& op = model.ops[i];
    if (op.parent != kNowhere) {  // which comes before it
      of(op.parent).children.push_back(op.time);
      rows_[i].root = of(op.parent).root;
    }
    if (rows_[i].root == kNowhere && op.is_backward_root) rows_[i].root = static_cast<Place>(i);
  }
  for (const ApiCall& call : model.calls) {
    if (call.op == kNowhere) continue;
    of(call.op).children.push_back(call.time);
    if (!is_kernel_launch(call)) continue;
    if (!of(call.op).first_launch) of(call.op).first_launch = &call;
    const Place root = of(call.op).root;
    if (root != kNowhere && !of(root).launch_anywhere) of(root).launch_anywhere = &call;
  }
  for (const HostKernel& kernel : model.host_kernels) {
    if (kernel.op == kNowhere) continue;
    of(kernel.op).host_kernel_ns += kernel.time.length();
    of(kernel.op).has_host_kernel = true;
  }
}

int64_t DispatchTimes::host_self(std::size_t op) const {
  const Interval& time = model_.ops[op].time;
  return time.length() - IntervalSet(rows_[op].children).length_within(time);
}

void DispatchTimes::add(std::size_t place, const ApiCall* launch, DispatchSamples& samples) const {
  const HostOp& op = model_.ops[place];
  const Row& row = rows_[place];
  if (launch) {
    // A call that begins before its op is one of another clock, by less than a us.
    samples.pre_launch.push_back(std::max<int64_t>(0, launch->time.begin - op.time.begin));
    if (launch->is_linked()) {
      const GpuOp& first = model_.gpu_ops[model_.launched_by(*launch)[0]];
      samples.end_to_end.push_back(first.time.begin - op.time.begin);
    }
  }
  samples.host_self.push_back(host_self(place));
  samples.host_total.push_back(op.time.length());
  if (row.has_host_kernel)
    samples.around_host_kernel.push_back(op.time.length() - row.host_kernel_ns);
}

}  // namespace notape::trace
