// SimulationObserver: lets a SimulatedGpu run beside a program on the CPU. Each operator that
// computes and calls no other that does makes one launch before it ends, and the host waits as long
// as the call takes. So an example gives a file with launches, kernels and back-pressure on any
// machine.
#pragma once
#include <mutex>

#include "trace/gpu/sim/simulated_gpu.h"
#include "trace/record/observer_in_front.h"

namespace notape::trace {

class SimulationObserver final : public ObserverInFront {
 public:
  /// `behind` must outlive it.
  explicit SimulationObserver(Observer& behind, SimulatedCosts costs = SimulatedCosts());

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override;
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override;
  void node_begin(const Node& node) noexcept override;
  void node_end(const Node& node) noexcept override;

  /// Waits for the device. Before the recorder stops.
  DeviceRecording finish();

 private:
  void begin() noexcept;

  std::mutex lock_;
  SimulatedGpu gpu_;
};

/// Whether an operator of this name puts a kernel on a GPU: those of the registry do, but not views
/// and the other operators of the family "shape" that copy nothing.
bool launches_kernel(std::string_view operator_name);

}  // namespace notape::trace
