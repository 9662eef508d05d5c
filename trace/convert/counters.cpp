#include "trace/convert/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "autograd/error.h"
#include "trace/write/microseconds.h"

namespace notape::trace {
namespace {

constexpr std::string_view kQueue = "queue_length device ", kMemory = "gpu_memory device ";

struct QueueChange {
  int64_t time;
  int order;  ///< of changes at one time: launches, starts, ends
  int queued, in_flight;
};

std::string counter_line(std::string_view name, int64_t device, int64_t time,
                         const std::string& series) {
  return fmt::format(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{{}}}}})", json_quote(name),
                     device, Microseconds{time}, series);
}

/// " process 10" in a file of several.
std::string suffix_of(const TraceModel& model) {
  return model.processes_of_file < 2 ? "" : " process " + model.process_name(0);
}

void add_queues(std::vector<std::string>& lines, const Scope& scope, int64_t base_ns) {
  std::map<std::pair<int64_t, int64_t>, std::vector<QueueChange>> changes;
  for (const int64_t device : scope.devices())
    for (const GpuOp* op : scope.gpu_ops(device)) {
      if (op->call == kNowhere) continue;
      const ApiCall& call = scope.model().calls[static_cast<std::size_t>(op->call)];
      auto& own = changes[{device, op->stream}];
      own.push_back({call.time.begin, 0, 1, 1});
      own.push_back({op->time.begin, 1, -1, 0});
      own.push_back({op->time.end, 2, 0, -1});
    }
  for (auto& [row, own] : changes) {
    std::sort(own.begin(), own.end(), [](const QueueChange& a, const QueueChange& b) {
      return std::tie(a.time, a.order) < std::tie(b.time, b.order);
    });
    const std::string name =
        fmt::format("{}{} stream {}{}", kQueue, row.first, row.second, suffix_of(scope.model()));
    int64_t queued = 0, in_flight = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      queued += own[i].queued;
      in_flight += own[i].in_flight;
      if (i + 1 < own.size() && own[i + 1].time == own[i].time) continue;
      lines.push_back(counter_line(name, row.first, own[i].time - base_ns,
                                   fmt::format(R"("queued":{},"inflight":{})", queued, in_flight)));
    }
  }
}

}  // namespace

std::vector<std::string> counter_lines(const Scope& scope, int64_t base_ns) {
  std::vector<std::string> lines;
  add_queues(lines, scope, base_ns);
  for (const MemoryEvent& event : scope.model().memory)
    if (event.device_type == 1 && scope.has_host_time(event.time))
      lines.push_back(
          counter_line(fmt::format("{}{}{}", kMemory, event.device, suffix_of(scope.model())),
                       event.device, event.time - base_ns,
                       fmt::format(R"("allocated":{},"reserved":{})", event.total_allocated,
                                   event.total_reserved)));
  return lines;
}

bool is_counter_name(std::string_view name) {
  return name.starts_with(kQueue) || name.starts_with(kMemory);
}

}  // namespace notape::trace
