// ModelBuilder: sorts the events of a file into the lists of a TraceModel.
#pragma once
#include <map>
#include <optional>
#include <tuple>

#include "trace/model/trace_model.h"
#include "trace/reader/raw_event.h"
#include "trace/reader/trace_reader.h"

namespace notape::trace {

/// The time of a slice; nothing if it has none, ends before it begins, or takes more than a week.
std::optional<Interval> time_of(const RawEvent& event);

class ModelBuilder {
 public:
  explicit ModelBuilder(TraceModel& model) : model_(model) {}

  void add(const RawEvent& event);
  /// After the last event.
  void add_header(const TraceReader& reader);
  /// The begin of the first event in each week since the epoch that has some, without the
  /// profiler's own.
  const std::map<int64_t, int64_t>& first_in_week() const { return first_in_week_; }

 private:
  using ThreadKey = std::tuple<int64_t, int64_t, StringId, StringId>;

  void note_begin(const RawEvent& event);
  void add_slice(const RawEvent& event);
  void add_host_op(const RawEvent& event, Interval time);
  void add_call(const RawEvent& event, Interval time);
  void add_gpu_op(const RawEvent& event, Interval time, GpuOpKind kind);
  void add_sync(const RawEvent& event, Interval time);
  void add_memory(const RawEvent& event);
  void add_name(const RawEvent& event);
  void add_metadata(std::string_view json);
  void add_rank(std::string_view json);
  ProcessId process_of(const RowId& pid);
  ThreadKey key_of(const RowId& pid, const RowId& tid);
  uint32_t thread_of(const RawEvent& event);
  StringId shapes_of(const EventArguments& arguments);

  TraceModel& model_;
  std::map<ThreadKey, uint32_t> threads_;
  std::map<ThreadKey, StringId> thread_names_;
  std::map<int64_t, int64_t> first_in_week_;
  ThreadKey last_key_{};
  int64_t last_thread_ = -1;
  std::string scratch_;
};

}  // namespace notape::trace
