// TraceModel: what a trace says, in the form that all analyses share.
//
// Times are integer ns on the file's clock. Every list is ordered by time and by what the rows say,
// never by their places in the file, so that results do not depend on the order of events.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/model/api_kind.h"
#include "trace/model/intervals.h"
#include "trace/reader/string_table.h"

namespace notape::trace {

/// A position in one of the model's lists, or nothing.
using Place = int64_t;
constexpr Place kNowhere = -1;

/// What a file writes as "pid": of GPU rows mostly the device.
struct ProcessId {
  int64_t number = -1;
  StringId text = 0;  ///< of one that is no number, as files have that put several ranks together

  auto operator<=>(const ProcessId&) const = default;
};

/// A process that has rows on the host.
struct Process {
  ProcessId id;
  std::optional<int64_t> rank;  ///< as the file calls it
};

struct HostThread {
  int64_t pid = 0, tid = 0;
  StringId pid_text = 0, tid_text = 0;  ///< of those that are no numbers
  StringId name = 0;
  uint32_t process = 0;  ///< in TraceModel::processes

  ProcessId pid_of() const { return {pid, pid_text}; }
};

/// An operator on the host: a cpu_op row.
struct HostOp {
  StringId name = 0;
  uint32_t thread = 0;
  Interval time;
  int64_t external_id = -1, event_index = -1;
  int64_t sequence_number = -1;  ///< -1: recorded no node
  StringId shapes = 0;           ///< "Input Dims" and "Input type", as written
  Place parent = kNowhere;       ///< the innermost op around it on its thread
  bool is_backward_root = false;
};

/// A range around ops: user_annotation, and what older files write among the ops.
struct Annotation {
  StringId name = 0;
  uint32_t thread = 0;
  Interval time;
};

/// The arithmetic of an op of the CPU backend: a cpu_kernel row.
struct HostKernel {
  uint32_t thread = 0;
  Interval time;
  Place op = kNowhere;  ///< the innermost op around it on its thread
};

/// A call of the CUDA runtime or driver.
struct ApiCall {
  StringId name = 0;
  ApiKind kind = ApiKind::Other;
  uint32_t thread = 0;
  Interval time;
  int64_t correlation = 0;
  int64_t external_id = -1;
  Place op = kNowhere;        ///< the innermost op around it on its thread
  uint32_t first_gpu_op = 0;  ///< in TraceModel::launched
  uint32_t gpu_ops = 0;       ///< how many it put on the GPU; several for a graph
  bool launches_kernel = false;
  uint64_t event = 0;  ///< its place in the file, like those below

  bool is_linked() const { return gpu_ops > 0; }
};

enum class GpuOpKind : unsigned char { Kernel, Copy, Fill };

struct GpuOp {
  StringId name = 0;
  GpuOpKind kind = GpuOpKind::Kernel;
  int64_t device = 0, stream = 0;
  Interval time;
  int64_t correlation = 0;
  int64_t bytes = 0;
  int64_t graph = 0;      ///< 0: not launched by a graph
  Place call = kNowhere;  ///< what launched it
  ProcessId row = {};     ///< the "pid" of its row
  Place process = kNowhere;
  uint64_t event = 0;
  bool is_early = false;  ///< starts before its call does: the call is not believed
};

/// A cuda_sync row: a wait, never work.
struct SyncRow {
  StringId name = 0;
  int64_t device = 0, stream = 0;
  Interval time;
  int64_t correlation = 0;
  int64_t awaited_stream = -1;  ///< of a Stream Wait Event
  ProcessId row = {};
  uint64_t event = 0;
  Place process = kNowhere;
};

/// A [memory] event of the caching allocator.
struct MemoryEvent {
  uint32_t thread = 0;
  int64_t time = 0;
  int64_t device_type = 0;  ///< 0 CPU, 1 CUDA
  int64_t device = -1;
  int64_t address = 0;
  int64_t bytes = 0;  ///< negative: freed
  int64_t total_allocated = 0, total_reserved = 0;
};

struct ModelStep {
  std::string name;
  int64_t number = 0;
  Interval time;         ///< of the host
  int64_t mark_end = 0;  ///< when the next step begins; of the last one, the end of the file
  uint32_t process = 0;
};

/// What was read and not used, and what is odd.
struct ModelCounts {
  uint64_t events = 0;
  std::map<std::string, uint64_t> unknown_categories, unknown_phases;
  uint64_t not_events = 0;
  uint64_t flow_starts = 0, flow_ends = 0;
  uint64_t containers = 0;  ///< annotations that pose as ops
  uint64_t gpu_annotations = 0, overhead_rows = 0, stack_rows = 0, counters = 0, async_events = 0;
  uint64_t bad_time = 0;  ///< no time, end before start, a wrong epoch, or longer than a week
  uint64_t unlinked = 0, early = 0;
  uint64_t started_in_call = 0;  ///< legal: while the launch was returning
  uint64_t zero_length_kernels = 0;
  uint64_t clipped = 0;              ///< calls that reach out of their op by less than a us
  uint64_t overlapping = 0;          ///< ops that reach out of the op around them
  uint64_t shared_correlations = 0;  ///< calls beyond the first of a correlation in a process
  uint64_t repeated_rows = 0;        ///< ops and calls that occur twice, equal in every field
  uint64_t unread_rows =
      0;  ///< of a known kind or none, in phases that are not read for it: B, E, i
  uint64_t step_overlaps = 0;     ///< steps that begin before the previous one has ended
  uint64_t stream_overlaps = 0;   ///< GPU ops that begin before an earlier one of the stream ended
  uint64_t ambiguous_links = 0;   ///< GPU ops that fit several calls of a correlation
  uint64_t ambiguous_owners = 0;  ///< GPU ops that fit calls of several processes
  uint64_t without_owner = 0;     ///< GPU ops and waits of none of several processes
};

/// What a file has in addition to its rows.
struct TraceSource {
  std::string path;
  StringTable strings;
  std::size_t processes_of_file = 0;
  std::optional<int64_t> rank;  ///< of the whole file
  std::string step_source;      ///< what marks the steps, in words; empty if nothing does
  /// Times are shown relative to this: the first event of the file, except for the profiler's own
  /// (category Trace, or none) and names. Python frames may lie before `time`.
  int64_t origin = 0;
  ModelCounts counts;
  bool is_truncated = false;
  bool has_text_after_end = false;
  bool has_whole_microseconds = true;  ///< of all rows
  bool has_stacks = false;
  bool has_graphs = false;
  std::string device_kind;  ///< as the metadata say
  uint64_t dropped = 0;     ///< events that the recorder lost
  double drift_ppm = 0;     ///< of the clocks while recording
  int64_t base_nanoseconds = 0;
};

struct TraceModel : TraceSource {
  std::vector<Process> processes;      ///< by ranks and ids; one in a file of one, or of_process()
  std::map<ProcessId, int64_t> ranks;  ///< of what the file calls "RANK 3 - CPU" or "- GPU"
  std::vector<int64_t> middles;        ///< of the times of the run, ascending; of each process one
  std::vector<HostThread> threads;
  std::vector<HostOp> ops;
  std::vector<HostKernel> host_kernels;
  std::vector<Annotation> annotations;
  std::vector<ApiCall> calls;
  std::vector<GpuOp> gpu_ops;
  std::vector<uint32_t> launched;  ///< places in gpu_ops, those of one call beside each other
  std::vector<SyncRow> syncs;
  std::vector<MemoryEvent> memory;
  std::vector<ModelStep> steps;
  Interval time;  ///< from the first row of these lists to the end of the last

  /// Not a week or more away from the others.
  bool is_of_the_run(int64_t moment) const;
  /// Rows of several processes: figures about them together mean little.
  bool is_of_several() const { return processes.size() > 1; }
  /// "4242", or what stands for it.
  std::string process_name(std::size_t process) const;
  std::string_view name(StringId id) const { return strings[id]; }
  bool has_gpu() const { return !gpu_ops.empty(); }
  /// Of one of `ops`.
  std::size_t place_of(const HostOp& op) const {
    return static_cast<std::size_t>(&op - ops.data());
  }
  /// Places in gpu_ops of what a call put on the GPU, by time.
  std::span<const uint32_t> launched_by(const ApiCall& call) const {
    return {launched.data() + call.first_gpu_op, call.gpu_ops};
  }
  /// Devices with GPU ops, ascending.
  std::vector<int64_t> devices() const;
};

struct LoadOptions {
  /// Annotations and ops that begin a step, if the file has no ProfilerStep#N; empty: starts of
  /// enumerate(DataLoader).
  std::string step_regex;
};

/// The rows of one process of a file of several, linked and counted as those of a file of its own;
/// times count from the same origin.
TraceModel of_process(const TraceModel& whole, std::size_t process);
/// The same of each, at the cost of their rows.
std::vector<TraceModel> of_processes(const TraceModel& whole);
/// The place of the process of this name, or of this rank. Throws ValueError, which says what there
/// are.
std::size_t find_process(const TraceModel& model, std::string_view name);
std::size_t find_rank(const TraceModel& model, int64_t rank);
/// The one with most GPU ops; without any, with most ops on the host.
std::size_t busiest_process(const TraceModel& model);

/// Throws FileError, one line; ValueError for a regular expression that is none.
TraceModel load_model(const std::string& path, const LoadOptions& options = {});

}  // namespace notape::trace
