#include "trace/analysis/iteration_causes.h"

#include <algorithm>

#include "trace/analysis/whole_file.h"

namespace notape::trace {
namespace {

constexpr int64_t kFirstUse = 100;  // medians of a launch call

}  // namespace

const char* cause_name(IterationCause cause) {
  constexpr const char* kNames[] = {"free",           "malloc", "host_alloc",   "first_use",
                                    "initialisation", "sync",   "data_loading", nullptr};
  return kNames[static_cast<std::size_t>(cause)];
}

IterationCauses::IterationCauses(const TraceModel& model, WholeFile& file,
                                 std::optional<int64_t> queue_depth)
    : model_(model), median_launch_(median_launch_ns(model)) {
  for (const int64_t device : file.devices())
    for (const LaunchDepth& launch : file.saturation(device, queue_depth).launches)
      if (launch.blocked_ns > 0) blocked_.insert(launch.call);
  for (std::size_t i = 0; i < kIterationCauses; ++i) {
    const auto cause = static_cast<IterationCause>(i);
    times_[i] = cause == IterationCause::DataLoading
                    ? data_loading_time(model_)
                    : time_of(model_.calls, [&](const ApiCall& call) { return of(call) == cause; });
  }
  make_apart(times_);
}

IterationCause IterationCauses::of(const ApiCall& call) const {
  switch (call.kind) {
    case ApiKind::Free:
      return IterationCause::Free;
    case ApiKind::DeviceAllocation:
      return IterationCause::DeviceAllocation;
    case ApiKind::HostAllocation:
      return IterationCause::HostAllocation;
    case ApiKind::KernelLaunch: {
      const bool is_long = median_launch_ > 0 && call.time.length() > kFirstUse * median_launch_;
      return is_long && !blocked_.contains(&call) ? IterationCause::FirstUse : IterationCause::None;
    }
    case ApiKind::Initialisation:
      return IterationCause::Initialisation;
    case ApiKind::BlockingSync:
      return IterationCause::Sync;
    default:
      return IterationCause::None;
  }
}

int64_t IterationCauses::count(IterationCause cause, const Interval& window) const {
  if (cause == IterationCause::DataLoading)
    return std::count_if(model_.annotations.begin(), model_.annotations.end(),
                         [&](const Annotation& annotation) {
                           return window.contains(annotation.time.begin) &&
                                  is_data_loading_name(model_.name(annotation.name));
                         });
  return std::count_if(model_.calls.begin(), model_.calls.end(), [&](const ApiCall& call) {
    return window.contains(call.time.begin) && of(call) == cause;
  });
}

}  // namespace notape::trace
