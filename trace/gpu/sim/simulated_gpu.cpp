#include "trace/gpu/sim/simulated_gpu.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace notape::trace {
namespace {

constexpr int64_t kShortCall = 1'000;  // calls that only make a note for the device

}  // namespace

uint64_t SimulatedGpu::add_call(const Caller& caller, const char* name, int64_t end_ns) {
  DeviceRow row;
  row.kind = DeviceRowKind::RuntimeCall;
  row.name = name;
  row.begin_ns = caller.begin_ns;
  row.end_ns = end_ns;
  row.correlation = ++correlation_;
  row.operation = caller.operation;
  row.tid = caller.tid;
  rows_.push_back(std::move(row));
  return correlation_;
}

int64_t SimulatedGpu::busy_until() const {
  int64_t last = 0;
  for (const auto& [stream, free_from] : free_from_) last = std::max(last, free_from);
  return last;
}

int64_t SimulatedGpu::launch(const Caller& caller, const std::string& kernel, int64_t stream) {
  starts_.erase(starts_.begin(), starts_.upper_bound(caller.begin_ns));
  int64_t accepted = caller.begin_ns;
  if (starts_.size() >= costs_.queue_depth)
    accepted = *std::next(starts_.begin(),
                          static_cast<std::ptrdiff_t>(starts_.size() - costs_.queue_depth));
  const int64_t end = accepted + costs_.launch_ns;
  DeviceRow row;
  row.kind = DeviceRowKind::Kernel;
  row.name = kernel;
  row.correlation = add_call(caller, "cudaLaunchKernel", end);
  row.begin_ns = std::max(free_from_[stream], end + costs_.latency_ns);
  row.end_ns = free_from_[stream] = row.begin_ns + costs_.kernel_ns;
  row.stream = stream;
  row.context = 1;
  row.grid = row.block = {1, 1, 1};
  starts_.insert(row.begin_ns);
  rows_.push_back(std::move(row));
  return end;
}

int64_t SimulatedGpu::allocate(const Caller& caller, uint64_t bytes) {
  const int64_t end = caller.begin_ns + costs_.allocate_ns;
  add_call(caller, "cudaMalloc", end);
  rows_.back().bytes = bytes;
  return end;
}

int64_t SimulatedGpu::release(const Caller& caller) {
  const int64_t end = std::max(caller.begin_ns, busy_until()) + costs_.release_ns;
  add_call(caller, "cudaFree", end);
  return end;
}

int64_t SimulatedGpu::wait(const Caller& caller, int64_t stream, int64_t awaited) {
  const int64_t end = caller.begin_ns + kShortCall;
  DeviceRow row;
  row.kind = DeviceRowKind::Sync;
  row.name = "Stream Wait Event";
  row.correlation = add_call(caller, "cudaStreamWaitEvent", end);
  row.begin_ns = std::max(free_from_[stream], end);
  row.end_ns = free_from_[stream] = std::max(row.begin_ns, free_from_[awaited]);
  row.stream = stream;
  row.context = 1;
  row.awaited_stream = awaited;
  rows_.push_back(std::move(row));
  return end;
}

int64_t SimulatedGpu::synchronize(const Caller& caller) {
  const int64_t end = std::max(caller.begin_ns, busy_until()) + kShortCall;
  add_call(caller, "cudaDeviceSynchronize", end);
  return end;
}

DeviceRecording SimulatedGpu::take() {
  DeviceRecording result;
  result.device_kind = "sim";
  result.state = "not used: the device is simulated";
  result.clock = "the recorder's";
  result.rows = std::exchange(rows_, {});
  return result;
}

}  // namespace notape::trace
