// The virtual clock: calls of the host and work of the device take the times that Costs states, and
// nothing else takes any. Which work is done when, to find mistakes, is another matter (work.h).
#pragma once
#include "cuda/emulated/activity.h"
#include "cuda/emulated/work.h"

namespace emulator {

extern Costs costs;

/// A call of the runtime, while it lasts; inside another it is part of that one. Hold `lock`.
class HostCall {
 public:
  explicit HostCall(const char* name);
  HostCall(const char* name, int64_t cost_ns);
  ~HostCall();
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
};

/// Work of the running call, or else of a launch of its own: it waits for a place in the launch
/// queue, and then for its stream.
void time_work(CUstream_st& stream, const std::string& name, const Request& request);
void time_wait(CUstream_st& stream, const CUevent_st& event);
void time_record(CUevent_st& event, const CUstream_st& stream);
/// Whether each launch waits for its kernel, as CUDA_LAUNCH_BLOCKING=1 says.
bool launches_block();
/// The host waits until then.
void wait_until(int64_t time_ns);

}  // namespace emulator
