// The process of each GPU row of a file of several. Its "pid" is the device, and correlations count
// from 1 in every process, so that a kernel may fit calls of many. What says more:
// - the file, if it gives row and process the same rank;
// - a correlation that only one process has;
// - time: where calls and ops of a correlation alternate, each op is of the call before it;
// - neighbours: what all other ops of the same row, device and stream belong to.
// What is found takes calls away from the rest, which so may become clear, too. What stays unclear
// is counted, and its order in time decides.
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/model/launch_runs.h"
#include "trace/model/model_structure.h"

namespace notape::trace {
namespace {

constexpr int kMostRounds = 8;

bool may_launch(ApiKind kind) {
  return kind == ApiKind::KernelLaunch || kind == ApiKind::GraphLaunch || kind == ApiKind::Other;
}

/// What processes rows belong to that have something in common.
struct Vote {
  Place process = kNowhere;
  bool is_split = false;

  void add(Place of) {
    is_split |= process != kNowhere && process != of;
    process = of;
  }
  Place unanimous() const { return is_split ? kNowhere : process; }
};

class Owners {
 public:
  explicit Owners(TraceModel& model)
      : model_(model),
        runs_(
            model, [](const ApiCall&) { return Place{0}; }, [](const GpuOp&) { return Place{0}; }) {
    for (uint32_t i = 0; i < model.processes.size(); ++i) {
      place_of_[model.processes[i].id] = i;
      if (const auto rank = model.processes[i].rank) of_rank_[*rank].add(i);
    }
  }

  void find() {
    for (GpuOp& op : model_.gpu_ops) op.process = by_rank(op.row);
    runs_.visit([&](auto calls, auto ops) { take_run(calls, ops); });
    for (int round = 0; round < kMostRounds && !unclear_.empty(); ++round) {
      bool has_changed = false;
      for (const Run& run : unclear_) has_changed |= take_clear_ones(run);
      if (!has_changed && !take_from_neighbours()) break;
    }
    for (const Run& run : unclear_) guess(run);
    count_votes();
    for (GpuOp& op : model_.gpu_ops)
      if (op.process == kNowhere) model_.counts.without_owner += !take(op.process, op);
    for (SyncRow& sync : model_.syncs) {
      sync.process = by_call(sync);
      if (sync.process == kNowhere) model_.counts.without_owner += !take(sync.process, sync);
    }
  }

 private:
  using Rows = std::span<const LaunchRow>;
  struct Run {
    std::vector<LaunchRow> calls;  ///< by process and time
    Rows ops;
  };

  Place process_of(const LaunchRow& call) const {
    return model_.threads[model_.calls[call.place].thread].process;
  }
  GpuOp& op_of(const LaunchRow& row) { return model_.gpu_ops[row.place]; }

  Place by_rank(const ProcessId& row) const {
    const auto rank = model_.ranks.find(row);
    if (rank == model_.ranks.end()) return kNowhere;
    const auto found = of_rank_.find(rank->second);
    return found == of_rank_.end() ? kNowhere : found->second.unanimous();
  }

  void take_run(Rows all_calls, Rows ops) {
    Run run{{}, ops};
    Vote vote;
    for (LaunchRow call : all_calls) {
      if (!may_launch(model_.calls[call.place].kind)) continue;
      call.group = process_of(call);
      vote.add(call.group);
      run.calls.push_back(call);
    }
    if (ops.empty() || run.calls.empty()) return;
    if (vote.is_split) {
      std::sort(run.calls.begin(), run.calls.end());
      unclear_.push_back(std::move(run));
      return;
    }
    for (const LaunchRow& op : ops)
      if (op_of(op).process == kNowhere) op_of(op).process = vote.process;
  }

  /// The calls that have no op yet, by time: an op takes the first of its process.
  std::vector<uint32_t> open_calls(const Run& run) const {
    std::map<Place, std::size_t> taken;
    for (const LaunchRow& op : run.ops)
      if (const Place process = model_.gpu_ops[op.place].process; process != kNowhere)
        ++taken[process];
    std::vector<uint32_t> open;
    for (const LaunchRow& call : run.calls) {
      std::size_t& left = taken[call.group];
      if (left > 0)
        --left;
      else
        open.push_back(call.place);
    }
    std::sort(open.begin(), open.end());
    return open;
  }

  /// `visit(op, waiting, open)` for each op without an owner: calls that have begun and wait for
  /// theirs, the last of which is `open[begun - 1]`.
  template <typename Visit>
  void each_unowned(const Run& run, Visit visit) {
    const std::vector<uint32_t> open = open_calls(run);
    std::size_t begun = 0;
    for (const LaunchRow& row : run.ops) {
      GpuOp& op = op_of(row);
      if (op.process != kNowhere) continue;
      while (begun < open.size() && model_.calls[open[begun]].time.begin <= op.time.begin) ++begun;
      visit(op, std::span(open).first(begun));
    }
  }

  Place owner_of(uint32_t call) const { return model_.threads[model_.calls[call].thread].process; }

  bool take_clear_ones(const Run& run) {
    for (const LaunchRow& call : run.calls)  // a graph's call has any number of ops
      if (model_.calls[call.place].kind == ApiKind::GraphLaunch) return false;
    bool has_changed = false, is_unclear = false;
    std::size_t given = 0;
    each_unowned(run, [&](GpuOp& op, std::span<const uint32_t> begun) {
      if (begun.size() == given) return;
      is_unclear |= given + 1 < begun.size();
      if (!is_unclear) {
        op.process = owner_of(begun.back());
        has_changed = true;
      }
      is_unclear &= ++given < begun.size();
    });
    return has_changed;
  }

  void guess(const Run& run) {
    std::size_t given = 0;
    each_unowned(run, [&](GpuOp& op, std::span<const uint32_t> begun) {
      if (begun.empty()) return;
      op.process = owner_of(begun[std::min(given++, begun.size() - 1)]);
      ++model_.counts.ambiguous_owners;
    });
  }

  void count_votes() {
    by_stream_.clear();
    by_device_.clear();
    for (const GpuOp& op : model_.gpu_ops)
      if (op.process != kNowhere) {
        by_stream_[{op.row, op.device, op.stream}].add(op.process);
        by_device_[{op.row, op.device}].add(op.process);
      }
  }

  template <typename Row>
  Place by_neighbours(const Row& row) const {
    const auto stream = by_stream_.find({row.row, row.device, row.stream});
    if (stream != by_stream_.end()) return stream->second.unanimous();
    const auto device = by_device_.find({row.row, row.device});
    return device == by_device_.end() ? kNowhere : device->second.unanimous();
  }

  /// The one that alone has the correlation of a wait.
  Place by_call(const SyncRow& sync) {
    if (of_correlation_.empty())
      for (const ApiCall& call : model_.calls)
        of_correlation_[call.correlation].add(model_.threads[call.thread].process);
    const auto found = of_correlation_.find(sync.correlation);
    return sync.correlation == 0 || found == of_correlation_.end() ? kNowhere
                                                                   : found->second.unanimous();
  }

  bool take_from_neighbours() {
    count_votes();
    bool has_changed = false;
    for (const Run& run : unclear_)
      for (const LaunchRow& row : run.ops) {
        GpuOp& op = op_of(row);
        if (op.process != kNowhere) continue;
        const Place process = by_neighbours(op);
        const auto call = std::lower_bound(run.calls.begin(), run.calls.end(),
                                           LaunchRow{row.correlation, process, 0});
        if (process == kNowhere || call == run.calls.end() || call->group != process) continue;
        op.process = process;
        has_changed = true;
      }
    return has_changed;
  }

  /// Of a row without a call: its neighbours', or the process whose id it has.
  template <typename Row>
  bool take(Place& process, const Row& row) const {
    process = by_rank(row.row);
    if (process == kNowhere) process = by_neighbours(row);
    const auto same_id = place_of_.find(row.row);
    if (process == kNowhere && same_id != place_of_.end()) process = same_id->second;
    return process != kNowhere;
  }

  TraceModel& model_;
  LaunchRuns runs_;
  std::map<ProcessId, Place> place_of_;
  std::map<int64_t, Vote> of_rank_;
  std::unordered_map<int64_t, Vote> of_correlation_;  // of calls
  std::vector<Run> unclear_;                          // correlations of several processes
  std::map<std::tuple<ProcessId, int64_t, int64_t>, Vote> by_stream_;
  std::map<std::tuple<ProcessId, int64_t>, Vote> by_device_;
};

}  // namespace

void find_owners(TraceModel& model) {
  if (model.processes.size() > 1) return Owners(model).find();
  for (GpuOp& op : model.gpu_ops) op.process = 0;
  for (SyncRow& sync : model.syncs) sync.process = 0;
}

}  // namespace notape::trace
