// Which processes a file is about. GPU rows have the device for a process, so that only ops and API
// calls say it.
#include <algorithm>
#include <set>
#include <tuple>

#include "trace/model/model_structure.h"

namespace notape::trace {
namespace {

template <typename Rows>
void add_processes(std::set<ProcessId>& ids, const TraceModel& model, const Rows& rows) {
  std::vector<bool> has_rows(model.threads.size());
  for (const auto& row : rows) has_rows[row.thread] = true;
  for (std::size_t i = 0; i < has_rows.size(); ++i)
    if (has_rows[i]) ids.insert(model.threads[i].pid_of());
}

/// Those with ops or calls. A profiler may know ops by one id and calls by another: that is one
/// process, and so are rows without an id beside those of one.
std::set<ProcessId> processes_of(const TraceModel& model) {
  std::set<ProcessId> with_ops, with_calls, all;
  add_processes(with_ops, model, model.ops);
  add_processes(with_calls, model, model.calls);
  const auto count = [](const std::set<ProcessId>& ids) {
    return ids.size() - (ids.size() > 1 && ids.contains(ProcessId()));
  };
  if (count(with_ops) <= 1 && count(with_calls) <= 1) {
    for (const auto* ids : {&with_ops, &with_calls})
      if (!ids->empty()) return {*ids->rbegin()};
    if (!model.threads.empty()) all.insert(model.threads.front().pid_of());
    return all;
  }
  for (const HostThread& thread : model.threads) all.insert(thread.pid_of());
  return all;
}

}  // namespace

std::string TraceModel::process_name(std::size_t place) const {
  const ProcessId& id = processes[place].id;
  if (id.text != 0) return std::string(name(id.text));
  return id == ProcessId() ? "without id" : std::to_string(id.number);
}

void find_processes(TraceModel& model) {
  const auto rank_of = [&](const ProcessId& id) {
    const auto found = model.ranks.find(id);
    return found == model.ranks.end() ? std::optional<int64_t>() : found->second;
  };
  for (const ProcessId& id : processes_of(model)) model.processes.push_back({id, rank_of(id)});
  model.processes_of_file = model.processes.size();
  if (model.processes.size() == 1 && model.rank) model.processes.front().rank = model.rank;
  if (model.processes.size() < 2) return;
  const auto key = [&](const Process& process) {
    return std::tuple(process.rank.value_or(INT64_MAX), process.id.number,
                      model.name(process.id.text));
  };
  std::sort(model.processes.begin(), model.processes.end(),
            [&](const Process& a, const Process& b) { return key(a) < key(b); });
  std::map<ProcessId, uint32_t> places;
  for (uint32_t i = 0; i < model.processes.size(); ++i) places[model.processes[i].id] = i;
  for (HostThread& thread : model.threads) thread.process = places[thread.pid_of()];
}

}  // namespace notape::trace
