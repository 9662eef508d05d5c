// Gaps: times in which a device did nothing, each with the op that ends it; and in which calls the
// host was where the device waited for it.
#pragma once
#include <string_view>
#include <vector>

#include "trace/analysis/scope.h"

namespace notape::trace {

/// A time in which the device did nothing until a launch call returned ("host_wait" of idle).
struct HostWait {
  Interval time;
  uint32_t thread = 0;  ///< of the launch call
};

struct Gap {
  Interval time;
  const GpuOp* next = nullptr;  ///< what ends it
  const ApiCall* launch = nullptr;
  int64_t host_wait = 0, launch_latency = 0, kernel_wait = 0, dependency = 0, unlinked = 0;
  const char* name_by_hta = "";

  HostWait wait() const { return {{time.begin, time.begin + host_wait}, launch->thread}; }
  const char* kind() const {
    if (unlinked) return "unlinked";
    if (kernel_wait) return "kernel_wait";
    if (dependency) return "dependency";
    return host_wait >= launch_latency ? "host_wait" : "launch_latency";
  }
};

/// Of ops of one device in the model's order; of several that start together the one that ends
/// first ends a gap.
std::vector<Gap> gaps_of(const TraceModel& model, const std::vector<const GpuOp*>& ops,
                         int64_t shortest_dependency_ns);
/// Those of them that the host is to blame for.
std::vector<HostWait> host_waits(const TraceModel& model, const std::vector<const GpuOp*>& ops);

struct CallTime {
  std::string_view name;
  int64_t ns = 0;
  int64_t first_use_ns = 0;  ///< the part that is inferred to load modules or make a context
};
/// The API calls that the threads were in meanwhile, longest first. A call inside another is part
/// of that.
std::vector<CallTime> calls_during(const Scope& scope, const std::vector<HostWait>& waits);

}  // namespace notape::trace
