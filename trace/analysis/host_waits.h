// In what the host was while the device waited for it: which calls, by name.
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

/// Of ops of one device in the model's order.
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
