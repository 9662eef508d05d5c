// SimulatedGpu: a GPU as a queue with known costs, for programs and tests without one. It gets
// the time of a host's call and gives the time of its return; its rows are those of CUDA. No kernel
// runs: it simulates time alone, and even that is invented, which the file says.
#pragma once
#include <map>
#include <set>

#include "trace/record/device_recording.h"

namespace notape::trace {

struct SimulatedCosts {
  int64_t launch_ns = 4'000;      ///< a launch call that finds room in the queue
  int64_t latency_ns = 1'500;     ///< from its return to the start of the kernel on an idle stream
  int64_t kernel_ns = 10'000;     ///< each kernel
  int64_t allocate_ns = 100'000;  ///< cudaMalloc
  int64_t release_ns = 50'000;    ///< cudaFree, after it has waited for the device
  std::size_t queue_depth = 1'022;  ///< launched kernels that have not started; then calls block
};

/// Not thread-safe.
class SimulatedGpu {
 public:
  /// Who calls, and when.
  struct Caller {
    int64_t tid = 0;
    uint64_t operation = 0;  ///< EventNumber
    int64_t begin_ns = 0;
  };
  static constexpr int64_t kFirstStream = 7;

  explicit SimulatedGpu(SimulatedCosts costs = SimulatedCosts()) : costs_(costs) {}

  // Each returns when the call does, on the caller's clock.
  int64_t launch(const Caller& caller, const std::string& kernel, int64_t stream = kFirstStream);
  int64_t allocate(const Caller& caller, uint64_t bytes);
  int64_t release(const Caller& caller);
  /// What is launched on `stream` later starts after all that is launched on `awaited` by now.
  int64_t wait(const Caller& caller, int64_t stream, int64_t awaited);
  int64_t synchronize(const Caller& caller);

  const SimulatedCosts& costs() const { return costs_; }
  /// What has been recorded since the last time, as a recording of a device of kind "sim".
  DeviceRecording take();

 private:
  uint64_t add_call(const Caller& caller, const char* name, int64_t end_ns);
  int64_t busy_until() const;

  const SimulatedCosts costs_;
  std::map<int64_t, int64_t> free_from_;  // by stream
  std::multiset<int64_t> starts_;         // of kernels that may not have started yet
  std::vector<DeviceRow> rows_;
  uint64_t correlation_ = 0;
};

}  // namespace notape::trace
