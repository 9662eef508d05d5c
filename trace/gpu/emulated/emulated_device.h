// EmulatedDevice: what the emulated GPU (cuda/emulated) does, which runs the program's own kernels
// and times calls and work by stated costs on a virtual clock.
#pragma once
#include <atomic>
#include <mutex>

#include "trace/gpu/cupti/absent_activity.h"
#include "trace/record/observer_in_front.h"
#include "trace/record/recorder.h"

namespace emulator {
struct ActivityFunctions;
}

namespace notape::trace {

/// Whether this program's GPU is an emulated one (NOTAPE_CUDA=emulated).
bool wants_emulated_device();

/// In place of CUPTI for the observer that tells which operator and range runs.
class EmulatedDevice final : public cupti::AbsentActivity {
 public:
  /// Loads the library and begins to record. Throws DeviceError if it is not there.
  EmulatedDevice();

  Recorder::Options::ClockFunction clock() const;
  /// Waits for the device. Before the recorder stops.
  DeviceRecording finish();

  cupti::ActivityStatus push_external(cupti::ExternalKind kind, uint64_t id) noexcept override;
  cupti::ActivityStatus pop_external(cupti::ExternalKind kind) noexcept override;

 private:
  const emulator::ActivityFunctions& functions_;
};

/// A program that is recorded from its beginning, in the system's time: joins the emulated GPU, and
/// its clock, after the operator that used it first.
class EmulatedProgram final : public ObserverInFront {
 public:
  /// `behind` must outlive it.
  explicit EmulatedProgram(Observer& behind) noexcept : ObserverInFront(behind) {}

  /// Before the recorder stops, also at the end of the process.
  DeviceRecording finish();

  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override;
  void operator_end(const char* name, uint64_t sequence_nr) noexcept override;
  void node_begin(const Node& node) noexcept override;
  void node_end(const Node& node) noexcept override;

 private:
  void begin() noexcept;
  void end() noexcept;

  std::mutex lock_;
  std::atomic<const emulator::ActivityFunctions*> functions_{nullptr};
};

}  // namespace notape::trace
