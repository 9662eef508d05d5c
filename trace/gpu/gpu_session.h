// GpuSession: what stands between a program and the recorder so that GPU rows are recorded, too.
#pragma once
#include <memory>
#include <string>

#include "trace/record/recorder.h"

namespace notape::trace {

namespace cupti {
class Collector;
/// The process's: CUPTI takes the recorder's clock once, and asks for buffers at any time.
Collector& collector();
}  // namespace cupti

/// Whether this machine has the driver of a GPU.
bool has_gpu_driver() noexcept;

enum class GpuSource {
  Off,
  Auto,  ///< the emulated GPU if the program runs on it, CUPTI where there is a driver, else
         ///< nothing
  Gpu,   ///< the same, but CUPTI or one line that says why not
};

class GpuSession {
 public:
  /// Begins to record; before the recorder starts. `behind` must outlive the session.
  GpuSession(GpuSource source, Observer& behind);
  ~GpuSession();
  GpuSession(const GpuSession&) = delete;
  GpuSession& operator=(const GpuSession&) = delete;

  /// For Recorder::Options, as is clock().
  Observer& in_front();
  Recorder::Options::ClockFunction clock() const;
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
