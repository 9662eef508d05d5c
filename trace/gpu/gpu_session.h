// GpuSession: what stands between a program and the recorder so that GPU rows are recorded, too.
#pragma once
#include <memory>
#include <string>

#include "autograd/observer.h"
#include "trace/record/device_recording.h"

namespace notape::trace {

enum class GpuSource {
  Off,
  Auto,       ///< CUPTI where there is a driver for GPUs, else nothing
  Cupti,      ///< CUPTI, or one line that says why not
  Simulated,  ///< an invented GPU beside the program
};

class GpuSession {
 public:
  /// Begins to record; before the recorder starts. `behind` must outlive the session.
  GpuSession(GpuSource source, Observer& behind);
  ~GpuSession();
  GpuSession(const GpuSession&) = delete;
  GpuSession& operator=(const GpuSession&) = delete;

  /// For Recorder::Options::in_front.
  Observer& in_front();
  /// "GPU: ..." for the user; empty if GPU rows are not wanted.
  std::string line() const;
  /// Waits for what still runs, before the recorder stops.
  void finish();
  /// After the recorder has stopped.
  DeviceRecording take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace notape::trace
