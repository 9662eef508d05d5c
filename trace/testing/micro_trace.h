// MicroTrace: a small trace written down row by row, times in ns.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trace/analysis/report.h"
#include "trace/analysis/scope.h"

namespace notape::trace::testing {

class MicroTrace {
 public:
  /// Rows of thread `thread` from here on; 1 at first.
  MicroTrace& on_thread(int64_t thread);
  /// GPU rows of this stream from here on; 7 at first. Device 0 at first.
  MicroTrace& on_stream(int64_t stream, int64_t device = 0);

  /// Rows of the host of this process from here on, GPU rows under that one; as JSON. 4242 and the
  /// device at first.
  MicroTrace& in_process(std::string pid, std::string gpu_pid = "");
  /// The rows of another trace, too.
  MicroTrace& with(const MicroTrace& other);

  /// `arguments`: more members of "args", as JSON.
  MicroTrace& op(const char* name, int64_t begin, int64_t length, const char* arguments = "");
  MicroTrace& call(const char* name, int64_t begin, int64_t length, int64_t correlation = 0);
  MicroTrace& launch(int64_t begin, int64_t length, int64_t correlation) {
    return call("cudaLaunchKernel", begin, length, correlation);
  }
  MicroTrace& kernel(int64_t begin, int64_t length, int64_t correlation,
                     const char* arguments = "");
  MicroTrace& gpu_op(const char* category, int64_t begin, int64_t length, int64_t correlation);
  MicroTrace& annotation(const char* name, int64_t begin, int64_t length);
  MicroTrace& step(int64_t number, int64_t begin, int64_t length);
  MicroTrace& sync_row(const char* name, int64_t begin, int64_t length, int64_t awaited_stream);
  MicroTrace& memory(int64_t time, int64_t bytes, int64_t allocated, int64_t reserved,
                     int64_t device_type = 1);
  /// A slice of any category on the current thread.
  MicroTrace& slice(const char* category, const char* name, int64_t begin, int64_t length,
                    const std::string& arguments = "");
  /// An event as it is.
  MicroTrace& raw(std::string event);

  /// Every time becomes time * factor + shift.
  MicroTrace& transformed(int64_t factor, int64_t shift);
  MicroTrace& shuffled(unsigned seed);
  /// Members beside "traceEvents", as JSON, each followed by a comma.
  MicroTrace& header(std::string members);

  std::string json() const;
  TraceModel model(const LoadOptions& options = {}) const;

 private:
  struct Row {
    std::string before, after;       // around the times
    int64_t begin = 0, length = -1;  // -1: an instant
  };
  std::string gpu_row() const { return gpu_pid_.empty() ? std::to_string(device_) : gpu_pid_; }

  std::vector<Row> rows_;
  std::string header_;
  int64_t thread_ = 1, stream_ = 7, device_ = 0;
  int64_t external_id_ = 0;
  std::string pid_ = "4242", gpu_pid_;
};

/// Three steps 40 us apart, of each: an op [10, 18) us, in it a launch [12, 16.5), its kernel
/// [19, 39.25).
MicroTrace three_steps();

/// `fast` launches of 10 ns into an empty queue that nothing leaves, then `slow` ones of 1,000 ns.
MicroTrace filling_queue(int64_t fast, int64_t slow);

Report report_of(Report (*analysis)(const Scope&), const MicroTrace& trace,
                 const Selection& selection = {});
/// Everything that all analyses say of a trace, as CSV, without the file's name.
std::string all_reports(const TraceModel& model, const Selection& selection = {});
/// The value of a metric; of several of the name, of the first.
std::string shown(const Report& report, std::string_view metric);

}  // namespace notape::trace::testing
