#include <algorithm>
#include <tuple>

#include "trace/model/model_structure.h"

namespace notape::trace {
namespace {

constexpr uint64_t kFarAway = uint64_t{7} * 24 * 3600 * 1'000'000'000;

/// Calls `visit(rows)` for each list of rows with a time.
template <typename Visit>
void for_each_list(TraceModel& model, Visit visit) {
  visit(model.ops);
  visit(model.host_kernels);
  visit(model.annotations);
  visit(model.calls);
  visit(model.gpu_ops);
  visit(model.syncs);
}

/// Takes the values.
int64_t median_of(std::vector<int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A GPU row that lost its time begins in 1970 or at the start of the machine: that is no part of
/// the run. The median is what such rows cannot move. Of several processes each has its own, by
/// its rows on the host: their machines may have other clocks.
void drop_rows_of_other_times(TraceModel& model) {
  std::vector<std::vector<int64_t>> begins(std::max<std::size_t>(1, model.processes.size()));
  for_each_list(model, [&](const auto& rows) {
    for (const auto& row : rows) {
      if constexpr (requires { row.thread; })
        begins[model.threads[row.thread].process].push_back(row.time.begin);
      else if (begins.size() == 1)
        begins.front().push_back(row.time.begin);
    }
  });
  for (std::vector<int64_t>& of_process : begins)
    if (!of_process.empty()) model.middles.push_back(median_of(of_process));
  std::sort(model.middles.begin(), model.middles.end());
  const auto is_far = [&](int64_t time) { return !model.is_of_the_run(time); };
  for_each_list(model, [&](auto& rows) {
    model.counts.bad_time += static_cast<uint64_t>(
        std::erase_if(rows, [&](const auto& row) { return is_far(row.time.begin); }));
  });
  model.counts.bad_time += static_cast<uint64_t>(
      std::erase_if(model.memory, [&](const MemoryEvent& event) { return is_far(event.time); }));
}

/// Threads are numbered by their ids, not by which comes first in the file.
void order_threads(TraceModel& model) {
  std::vector<uint32_t> order(model.threads.size()), place(model.threads.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](uint32_t i) {
    const HostThread& thread = model.threads[i];
    return std::tuple(thread.pid, thread.tid, model.name(thread.pid_text),
                      model.name(thread.tid_text));
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  std::vector<HostThread> threads;
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    threads.push_back(model.threads[order[i]]);
  }
  model.threads = std::move(threads);
  const auto renumber = [&](auto& rows) {
    for (auto& row : rows) row.thread = place[row.thread];
  };
  renumber(model.ops);
  renumber(model.host_kernels);
  renumber(model.annotations);
  renumber(model.calls);
  renumber(model.memory);
}

}  // namespace

bool TraceModel::is_of_the_run(int64_t moment) const {
  // In unsigned arithmetic, which may wrap: times can lie anywhere in int64.
  const auto is_far = [&](int64_t from, int64_t to) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from) > kFarAway;
  };
  const auto above = std::lower_bound(middles.begin(), middles.end(), moment);
  return middles.empty() || (above != middles.end() && !is_far(moment, *above)) ||
         (above != middles.begin() && !is_far(*(above - 1), moment));
}

void order_rows(TraceModel& model) {
  drop_rows_of_other_times(model);
  order_threads(model);
  // Rows that agree in everything named here are alike to every analysis. Names are compared last:
  // their letters, since their numbers depend on the order of events.
  const auto by = [&](auto& rows, auto key) {
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
      const auto left = key(a), right = key(b);
      if (left != right) return left < right;
      return a.name != b.name && model.name(a.name) < model.name(b.name);
    });
  };
  by(model.ops, [](const HostOp& op) {
    return std::tuple(op.time.begin, -op.time.end, op.thread, op.external_id, op.event_index,
                      op.sequence_number);
  });
  by(model.annotations, [](const Annotation& annotation) {
    return std::tuple(annotation.time.begin, -annotation.time.end, annotation.thread);
  });
  by(model.calls, [](const ApiCall& call) {
    return std::tuple(call.time.begin, -call.time.end, call.thread, call.correlation,
                      call.external_id);
  });
  by(model.gpu_ops, [](const GpuOp& op) {
    return std::tuple(op.time.begin, op.time.end, op.device, op.stream, op.correlation, op.kind,
                      op.bytes);
  });
  by(model.syncs, [](const SyncRow& sync) {
    return std::tuple(sync.time.begin, sync.time.end, sync.device, sync.stream, sync.correlation);
  });
  std::sort(model.host_kernels.begin(), model.host_kernels.end(),
            [](const HostKernel& a, const HostKernel& b) {
              return std::tuple(a.time.begin, a.time.end, a.thread) <
                     std::tuple(b.time.begin, b.time.end, b.thread);
            });
  std::sort(model.memory.begin(), model.memory.end(),
            [](const MemoryEvent& a, const MemoryEvent& b) {
              const auto key = [](const MemoryEvent& event) {
                return std::tuple(event.time, event.thread, event.device_type, event.device,
                                  event.total_allocated, event.address, event.bytes,
                                  event.total_reserved);
              };
              return key(a) < key(b);
            });
  // No thread begins one thing twice at a time, if the ids say that it is one.
  const auto count_repeated = [&](const auto& rows, auto key) {
    for (std::size_t i = 1; i < rows.size(); ++i)
      model.counts.repeated_rows += key(rows[i]) == key(rows[i - 1]);
  };
  count_repeated(model.calls, [](const ApiCall& call) {
    return std::tuple(call.time.begin, call.time.end, call.thread, call.correlation, call.name,
                      call.correlation == 0 ? call.event : 0);
  });
  count_repeated(model.ops, [](const HostOp& op) {
    return std::tuple(op.time.begin, op.time.end, op.thread, op.external_id, op.name,
                      op.external_id < 0 ? op.sequence_number : 0, op.event_index);
  });
  // Older files have no addresses, and events of one us that look alike.
  const auto is_same = [](const MemoryEvent& a, const MemoryEvent& b) {
    return a.address != 0 && std::tuple(a.time, a.thread, a.address, a.bytes, a.device) ==
                                 std::tuple(b.time, b.thread, b.address, b.bytes, b.device);
  };
  for (std::size_t i = 1; i < model.memory.size(); ++i)
    model.counts.repeated_rows += is_same(model.memory[i], model.memory[i - 1]);
  find_time(model);
}

void find_time(TraceModel& model) {
  bool is_first = true;
  for_each_list(model, [&](const auto& rows) {
    for (const auto& row : rows) {
      model.time.begin = is_first ? row.time.begin : std::min(model.time.begin, row.time.begin);
      model.time.end = is_first ? row.time.end : std::max(model.time.end, row.time.end);
      is_first = false;
    }
  });
}

void find_origin(TraceModel& model, const std::map<int64_t, int64_t>& first_in_week) {
  bool has_rows = false;
  for_each_list(model, [&](const auto& rows) { has_rows |= !rows.empty(); });
  model.origin = has_rows ? model.time.begin : 0;
  for (const auto& [week, begin] : first_in_week) {
    if (!has_rows) {
      model.origin = begin;
      return;
    }
    // In unsigned arithmetic, which may wrap.
    const uint64_t before = static_cast<uint64_t>(model.time.begin) - static_cast<uint64_t>(begin);
    if (begin < model.origin && before < kFarAway) model.origin = begin;
  }
}

}  // namespace notape::trace
