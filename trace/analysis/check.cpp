// What is in a file, what is wrong with it, and which metrics suffer.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "trace/analysis/analyses.h"

namespace notape::trace {
namespace {

class Checker {
 public:
  explicit Checker(const Scope& scope) : scope_(scope), model_(scope.model()) {}

  Report run() {
    report_.title = "check of " + model_.path;
    count_rows();
    count_links();
    note_dialect();
    if (model_.is_of_several()) list_processes();
    find_anomalies();
    judge_metrics();
    return std::move(report_);
  }

 private:
  void count(const char* name, uint64_t number, const char* unit) {
    Metric metric = scope_.metric(name, number, unit, std::max<uint64_t>(1, model_.counts.events),
                                  kOfAllProcesses);
    metric.n = model_.counts.events;
    report_.metrics.push_back(std::move(metric));
  }

  void count_rows() {
    const ModelCounts& counts = model_.counts;
    const auto of_kind = [&](GpuOpKind kind) {
      return static_cast<uint64_t>(std::count_if(model_.gpu_ops.begin(), model_.gpu_ops.end(),
                                                 [&](const GpuOp& op) { return op.kind == kind; }));
    };
    count("check.events", counts.events, "events");
    count("check.cpu_ops", model_.ops.size(), "rows");
    count("check.api_calls", model_.calls.size(), "rows");
    count("check.kernels", of_kind(GpuOpKind::Kernel), "rows");
    count("check.copies", of_kind(GpuOpKind::Copy), "rows");
    count("check.fills", of_kind(GpuOpKind::Fill), "rows");
    count("check.syncs", model_.syncs.size(), "rows");
    count("check.memory_events", model_.memory.size(), "events");
    count("check.annotations", model_.annotations.size(), "rows");
    count("check.containers", counts.containers, "rows");
    count("check.steps", model_.steps.size(), "steps");
    count("check.threads", model_.threads.size(), "threads");
  }

  void count_links() {
    const ModelCounts& counts = model_.counts;
    count("check.linked", model_.launched.size(), "GPU ops");
    count("check.unlinked", counts.unlinked, "GPU ops");
    count("check.early", counts.early, "GPU ops");
    count("check.started_in_call", counts.started_in_call, "GPU ops");
    count("check.zero_length_kernels", counts.zero_length_kernels, "rows");
    count("check.bad_time", counts.bad_time, "rows");
    count("check.overlapping", counts.overlapping, "ops");
    count("check.clipped", counts.clipped, "calls");
  }

  void note(std::string text) { report_.notes.push_back(std::move(text)); }

  void note_dialect() {
    const ModelCounts& counts = model_.counts;
    if (model_.steps.empty())
      note("steps: no marks; see --step-regex");
    else
      note(fmt::format("steps: {} from {}", model_.steps.size(), model_.step_source));
    if (model_.has_whole_microseconds && counts.events > 0)
      note("times are whole us: each row may be up to 1 us longer than it says");
    if (model_.has_stacks)
      note(fmt::format("Python stacks were recorded ({} rows), which slows every op",
                       counts.stack_rows));
    if (counts.flow_starts != counts.flow_ends)
      note(fmt::format("{} flow starts, {} flow ends; launches are linked by correlation instead",
                       counts.flow_starts, counts.flow_ends));
    for (const auto& [category, number] : counts.unknown_categories)
      note(fmt::format("{} rows of the unknown category '{}'", number, category));
    for (const auto& [phase, number] : counts.unknown_phases)
      note(fmt::format("{} events of the unknown phase '{}'", number, phase));
    if (model_.device_kind == "emulated")
      note("the device is emulated: times are stated costs, not measurements");
  }

  /// Also of what each process's figures are worth.
  void list_processes() {
    note(fmt::format("{} processes: questions are answered for each; see --process",
                     model_.processes.size()));
    Table table{
        "processes",
        {"process", "rank", "cpu ops", "API calls", "GPU ops", "linked", "devices", "steps"},
        {}};
    Table figures{"metrics", {"metrics", "process", "reliable", "reason"}, {}};
    for (const TraceModel& part : of_processes(model_)) {
      const auto& rank = part.processes[0].rank;
      table.rows.push_back({part.process_name(0), rank ? Value(*rank) : Value(), part.ops.size(),
                            part.calls.size(), part.gpu_ops.size(), part.launched.size(),
                            part.devices().size(), part.steps.size()});
      judge(Scope(part, {}), part.process_name(0), figures);
    }
    report_.tables.push_back(std::move(table));
    report_.tables.push_back(std::move(figures));
  }

  template <typename... Parts>
  void complain_if(bool holds, fmt::format_string<Parts...> pattern, Parts&&... parts) {
    if (holds) report_.anomalies.push_back(fmt::format(pattern, std::forward<Parts>(parts)...));
  }

  void find_anomalies() {
    const ModelCounts& counts = model_.counts;
    complain_if(model_.is_truncated,
                "the file ends in the middle: what follows its last complete event is lost");
    complain_if(model_.has_text_after_end, "there is text after the end of the trace");
    complain_if(model_.dropped > 0, "the recorder lost {} records", model_.dropped);
    complain_if(counts.not_events > 0, "{} elements of traceEvents are no events",
                counts.not_events);
    complain_if(counts.bad_time > 0,
                "{} rows have no time, end before they start, or lie a week from the others",
                counts.bad_time);
    complain_if(counts.early > 0,
                "{} GPU ops start before the call that launches them: their clocks differ",
                counts.early);
    complain_if(counts.stream_overlaps > 0,
                "{} GPU ops begin before an earlier one of their stream has ended",
                counts.stream_overlaps);
    complain_if(counts.step_overlaps > 0, "{} steps begin before the one before has ended",
                counts.step_overlaps);
    complain_if(counts.ambiguous_links > 0, "{} GPU ops fit several API calls of a correlation",
                counts.ambiguous_links);
    complain_if(counts.ambiguous_owners > 0,
                "{} GPU ops fit API calls of several processes: whose they are is a guess",
                counts.ambiguous_owners);
    complain_if(counts.without_owner > 0, "{} rows of the GPU belong to no process of several",
                counts.without_owner);
    complain_if(counts.repeated_rows > 0, "{} rows are there twice", counts.repeated_rows);
    complain_if(counts.unread_rows > 0,
                "{} rows are in phases that are not read: what they say is missing",
                counts.unread_rows);
    complain_if(counts.unlinked > 0, "{} GPU ops have no launch record", counts.unlinked);
    complain_if(counts.shared_correlations > 0, "{} API calls share a correlation with another",
                counts.shared_correlations);
    // Rounded times may overlap by a us; that is no fault of the recorder.
    complain_if(counts.overlapping > 0 && !model_.has_whole_microseconds,
                "{} ops reach out of the op around them", counts.overlapping);
    complain_if(threads_without_ops() > 0,
                "{} API calls are on threads with negative ids, which no op is on: their thread "
                "ids do not join",
                threads_without_ops());
  }

  uint64_t threads_without_ops() const {
    std::set<uint32_t> with_ops;
    for (const HostOp& op : model_.ops) with_ops.insert(op.thread);
    uint64_t lost = 0;
    for (const ApiCall& call : model_.calls)
      lost += model_.threads[call.thread].tid < 0 && !with_ops.contains(call.thread);
    return lost;
  }

  void judge_metrics() {
    if (model_.is_of_several()) return;  // of each process: above
    Table table{"metrics", {"metrics", "reliable", "reason"}, {}};
    judge(scope_, {}, table);
    report_.tables.push_back(std::move(table));
  }

  static void judge(const Scope& scope, const std::string& process, Table& table) {
    const std::pair<const char*, unsigned> metrics[] = {
        {"dispatch", kNeedsOps | kNeedsNoStacks | kNeedsFinerUs},
        {"overlap", kNeedsGpu},
        {"idle", kNeedsGpu | kNeedsLinks},
        {"queue, run_ahead", kNeedsGpu | kNeedsLinks},
        {"launch_delay", kNeedsGpu | kNeedsLinks | kNeedsFinerUs},
        {"queue_ahead", kNeedsGpu | kNeedsLinks | kNeedsOps | kNeedsSteps},
        {"first_iteration", kNeedsThreeSteps},
        {"alloc.stall_gpu", kNeedsGpu},
        {"alloc.hit_rate", kNeedsMemory | kNeedsCalls},
    };
    for (const auto& [name, needs] : metrics) {
      const std::string doubts = scope.doubts(needs);
      std::vector<Value>& row = table.rows.emplace_back(std::vector<Value>{name});
      if (!process.empty()) row.push_back(process);
      row.push_back(doubts.empty() ? "yes" : "no");
      row.push_back(doubts);
    }
  }

  const Scope& scope_;
  const TraceModel& model_;
  Report report_;
};

}  // namespace

Report check(const Scope& scope) { return Checker(scope).run(); }

}  // namespace notape::trace
