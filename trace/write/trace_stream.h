// TraceStream: a recording that is written while it is made. A thread of its own takes what the
// logs have every few ms, so memory does not grow with the program's time, and of a process that is
// killed all but the last moment can be read.
#pragma once
#include <semaphore.h>

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "trace/record/recorder.h"
#include "trace/write/stream_file.h"
#include "trace/write/thread_rows.h"

namespace notape::trace {

class TraceStream {
 public:
  /// What devices did, asked for before the recorder stops.
  using FinishDevices = std::function<DeviceRecording()>;
  /// Starts the recorder. Throws RecorderError, ValueError and FileError.
  TraceStream(const std::string& path, const Recorder::Options& options,
              FinishDevices finish_devices = {});
  /// Ends the recording as finish() does; then errors are lost.
  ~TraceStream();
  TraceStream(const TraceStream&) = delete;
  TraceStream& operator=(const TraceStream&) = delete;

  /// Ends the recording and puts the file in its place. Throws FileError, also for what went wrong
  /// earlier; the recording ended there.
  void finish();
  /// For signal handlers: what was recorded goes to FILE.interrupted.json, which may take a while.
  void interrupt(const char* signal_name) noexcept;
  bool has_ended() const noexcept { return has_ended_.load(std::memory_order_acquire); }

 private:
  void run() noexcept;
  void read_logs();
  void add_links(bool last);
  void write_rows();
  void end();

  StreamFile file_;
  const FinishDevices finish_devices_;
  Recorder& recorder_ = Recorder::instance();
  uint64_t session_ = 0;
  ClockPair started_;
  StreamedRows to_;
  std::map<uint32_t, ThreadRows> threads_;  // by number
  std::vector<NodeRow> old_nodes_;          // their operators were not found in the last round
  int64_t flushed_ns_ = 0;
  bool has_unflushed_ = false;

  sem_t wake_;
  std::atomic<bool> is_ending_{false}, has_ended_{false};
  std::atomic<const char*> interrupted_{nullptr};
  std::string error_;
  std::thread thread_;
};

}  // namespace notape::trace
