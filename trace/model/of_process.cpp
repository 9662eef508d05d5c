#include <fmt/format.h>

#include <algorithm>

#include "autograd/error.h"
#include "trace/model/model_structure.h"

namespace notape::trace {
namespace {

/// "10 (rank 0), 20 (rank 1)"
std::string names_of(const TraceModel& model) {
  std::string names;
  for (std::size_t i = 0; i < model.processes.size(); ++i) {
    names += (i == 0 ? "" : ", ") + model.process_name(i);
    if (const auto rank = model.processes[i].rank) names += fmt::format(" (rank {})", *rank);
  }
  return names.empty() ? "none" : names;
}

/// Deals the rows out to `parts`, one a process, of which those that are null get none.
void deal_out(const TraceModel& whole, const std::vector<TraceModel*>& parts) {
  std::vector<uint32_t> places(whole.threads.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (TraceModel* part = parts[whole.threads[i].process]) {
      places[i] = static_cast<uint32_t>(part->threads.size());
      part->threads.push_back(whole.threads[i]);
      part->threads.back().process = 0;
    }
  const auto of_threads = [&](const auto list) {
    for (const auto& row : whole.*list)
      if (TraceModel* part = parts[whole.threads[row.thread].process]) {
        (part->*list).push_back(row);
        (part->*list).back().thread = places[row.thread];
      }
  };
  of_threads(&TraceModel::ops);
  of_threads(&TraceModel::host_kernels);
  of_threads(&TraceModel::annotations);
  of_threads(&TraceModel::calls);
  of_threads(&TraceModel::memory);
  const auto of_owners = [&](const auto list) {
    for (const auto& row : whole.*list) {
      if (static_cast<Place>(row.process) == kNowhere) continue;
      if (TraceModel* part = parts[static_cast<std::size_t>(row.process)]) {
        (part->*list).push_back(row);
        (part->*list).back().process = 0;
      }
    }
  };
  of_owners(&TraceModel::gpu_ops);
  of_owners(&TraceModel::syncs);
  of_owners(&TraceModel::steps);
}

TraceModel empty_part(const TraceModel& whole, std::size_t process) {
  TraceModel part;
  static_cast<TraceSource&>(part) = whole;
  part.path += " (process " + whole.process_name(process) + ")";
  part.processes = {whole.processes[process]};
  ModelCounts& counts = part.counts;  // those that the rows of the part say anew
  for (uint64_t* count : {&counts.unlinked, &counts.early, &counts.started_in_call, &counts.clipped,
                          &counts.overlapping, &counts.shared_correlations, &counts.ambiguous_links,
                          &counts.stream_overlaps, &counts.step_overlaps})
    *count = 0;
  return part;
}

void link(TraceModel& part) {
  part.has_graphs = false;
  for (ApiCall& call : part.calls) {
    call.gpu_ops = 0;
    call.launches_kernel = false;
  }
  for (GpuOp& op : part.gpu_ops) {
    op.call = kNowhere;
    op.is_early = false;
    part.has_graphs |= op.graph != 0;
  }
  find_time(part);
  nest_rows(part);
  link_launches(part);
  check_streams(part);
}

}  // namespace

TraceModel of_process(const TraceModel& whole, std::size_t process) {
  TraceModel part = empty_part(whole, process);
  std::vector<TraceModel*> parts(whole.processes.size());
  parts[process] = &part;
  deal_out(whole, parts);
  link(part);
  return part;
}

std::vector<TraceModel> of_processes(const TraceModel& whole) {
  std::vector<TraceModel> models;
  for (std::size_t i = 0; i < whole.processes.size(); ++i) models.push_back(empty_part(whole, i));
  std::vector<TraceModel*> parts;
  for (TraceModel& model : models) parts.push_back(&model);
  deal_out(whole, parts);
  for (TraceModel& model : models) link(model);
  return models;
}

std::size_t find_process(const TraceModel& model, std::string_view name) {
  for (std::size_t i = 0; i < model.processes.size(); ++i)
    if (model.process_name(i) == name) return i;
  throw ValueError("{} has no process '{}'; its processes are: {}", model.path, name,
                   names_of(model));
}

std::size_t find_rank(const TraceModel& model, int64_t rank) {
  const auto has = [&](const Process& process) { return process.rank == rank; };
  const auto found = std::find_if(model.processes.begin(), model.processes.end(), has);
  if (found == model.processes.end())
    throw ValueError("{} calls no process rank {}; its processes are: {}; see --process",
                     model.path, rank, names_of(model));
  if (std::any_of(found + 1, model.processes.end(), has))
    throw ValueError("{} calls several processes rank {}: {}; see --process", model.path, rank,
                     names_of(model));
  return static_cast<std::size_t>(found - model.processes.begin());
}

std::size_t busiest_process(const TraceModel& model) {
  std::vector<std::pair<uint64_t, uint64_t>> rows(std::max<std::size_t>(1, model.processes.size()));
  for (const GpuOp& op : model.gpu_ops)
    if (op.process != kNowhere) ++rows[static_cast<std::size_t>(op.process)].first;
  for (const HostOp& op : model.ops) ++rows[model.threads[op.thread].process].second;
  return static_cast<std::size_t>(std::max_element(rows.begin(), rows.end()) - rows.begin());
}

}  // namespace notape::trace
