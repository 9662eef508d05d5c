// Collector: records what GPUs do, through CUPTI. It calls in the order that CUPTI's documentation
// asks for, never stops the program it records, and says in one line what it could not have.
#pragma once
#include <memory>

#include "trace/gpu/cupti/activity_api.h"
#include "trace/gpu/cupti/clock_bracket.h"

namespace notape::trace::cupti {

class Collector {
 public:
  struct Options {
    std::size_t buffer_bytes = BufferPool::kBuffer;
    /// Memory for records until they are read; what comes later is lost, and counted.
    std::size_t most_bytes = BufferPool::kMost;
  };

  /// One per process for the real API: CUPTI takes the recorder's clock once. `api` must outlive
  /// it.
  explicit Collector(ActivityApi& api) : Collector(api, Options()) {}
  Collector(ActivityApi& api, Options options);

  /// Whether GPUs are recorded now; state() says why not. Each start tries again: the tool that
  /// held CUPTI may be gone. Does nothing while recording.
  bool start();
  /// Waits for the devices and ends the recording. Without one, the state alone.
  DeviceRecording stop();

  bool is_recording() const { return is_recording_; }
  const std::string& state() const { return state_; }

  /// Functions whose calls are not recorded: called often, and without any work on the GPU.
  static std::span<const char* const> calls_left_out();

 private:
  bool give_up(std::string_view step, ActivityStatus status, std::string_view holder = {});
  void register_clock();
  void undo();

  ActivityApi& api_;
  BufferPool pool_;
  bool is_recording_ = false, clock_was_offered_ = false, clock_was_taken_ = false;
  bool thread_ids_join_ = true;
  std::vector<ActivityKind> enabled_;
  std::vector<std::string> left_out_;
  std::optional<ClockBracket> first_;
  int64_t started_ns_ = 0;
  uint64_t refused_before_ = 0;
  std::string state_ = "not used";
};

}  // namespace notape::trace::cupti
