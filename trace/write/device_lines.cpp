#include "trace/write/device_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "autograd/error.h"
#include "trace/write/microseconds.h"

namespace notape::trace {
namespace {

// Waits have rows of their own, so that they do not overlap the work on their stream; what waits
// for the whole device has the first of them.
constexpr int64_t kWaitRows = 1'000'000, kOverheadRow = 2'000'000;
constexpr int64_t kSortDevicesFrom = 16'777'216;

const char* category(DeviceRowKind kind) {
  static constexpr const char* kNames[] = {"cuda_runtime", "cuda_driver", "kernel",  "gpu_memcpy",
                                           "gpu_memset",   "cuda_sync",   "overhead"};
  return kNames[static_cast<int>(kind)];
}

int64_t row_of(const DeviceRow& row) {
  if (row.is_call()) return row.tid;
  if (row.kind == DeviceRowKind::Overhead) return kOverheadRow;
  if (row.kind == DeviceRowKind::Sync) return kWaitRows + std::max<int64_t>(row.stream, 0);
  return row.stream;
}

bool is_of_host(const DeviceRow& row) {
  return row.is_call() || row.kind == DeviceRowKind::Overhead;
}

bool precedes(int64_t begin, int64_t end, int64_t other_begin, int64_t other_duration) {
  return begin != other_begin ? begin < other_begin : end - begin > other_duration;
}

}  // namespace

DeviceLines::DeviceLines(const Recording& recording, const Timeline& timeline, int64_t pid)
    : recording_(recording),
      timeline_(timeline),
      pid_(pid),
      device_(make_device_timeline(recording, timeline)),
      has_flow_(device_.slices.size()) {
  // Of a graph's many kernels the first gets the arrow: an id joins one pair.
  std::map<uint64_t, std::size_t> calls, work;
  for (std::size_t i = 0; i < device_.slices.size(); ++i) {
    const DeviceRow& row = *device_.slices[i].row;
    if (!row.correlation) continue;
    if (row.is_call()) calls.try_emplace(row.correlation, i);
    if (row.is_work()) work.try_emplace(row.correlation, i);
  }
  for (const auto& [correlation, place] : work) {
    const auto call = calls.find(correlation);
    if (call == calls.end()) continue;
    has_flow_[place] = has_flow_[call->second] = true;
  }
}

void DeviceLines::write_names(const Write& write) const {
  const auto name = [&](const char* what, int64_t pid, int64_t tid, const std::string& arguments) {
    write(fmt::format(R"({{"ph":"M","name":"{}","ts":0.000,"pid":{},"tid":{},"args":{{{}}}}})",
                      what, pid, tid, arguments));
  };
  std::map<int32_t, std::set<int64_t>> streams, waits;
  bool has_overhead = false;
  for (const DeviceSlice& slice : device_.slices) {
    const DeviceRow& row = *slice.row;
    has_overhead |= row.kind == DeviceRowKind::Overhead;
    if (is_of_host(row)) continue;
    streams[row.device];
    (row.is_work() ? streams : waits)[row.device].insert(row_of(row));
  }
  const char* kind = recording_.device.device_kind == "emulated" ? "emulated GPU" : "GPU";
  for (const auto& [device, numbers] : streams) {
    name("process_name", device, 0, R"("name":"notape")");
    name("process_labels", device, 0, fmt::format(R"("labels":"{} {}")", kind, device));
    name("process_sort_index", device, 0,
         fmt::format(R"("sort_index":{})", kSortDevicesFrom + device));
    for (const int64_t stream : numbers) {
      name("thread_name", device, stream, fmt::format(R"("name":"stream {}")", stream));
      name("thread_sort_index", device, stream, fmt::format(R"("sort_index":{})", stream));
    }
    for (const int64_t wait : waits[device])
      name("thread_name", device, wait,
           wait == kWaitRows ? std::string(R"("name":"waits for the device")")
                             : fmt::format(R"("name":"waits on stream {}")", wait - kWaitRows));
  }
  if (has_overhead) name("thread_name", pid_, kOverheadRow, R"("name":"overhead of CUPTI")");
}

bool DeviceLines::range_is_next() const {
  if (range_ == device_.ranges.size()) return false;
  if (slice_ == device_.slices.size()) return true;
  const StreamRange& range = device_.ranges[range_];
  const DeviceSlice& slice = device_.slices[slice_];
  return !precedes(slice.begin_ns, slice.end_ns, range.begin_ns, range.end_ns - range.begin_ns);
}

void DeviceLines::write_before(int64_t begin_ns, int64_t duration_ns,
                               std::span<const uint64_t> external_ids, const Write& write) {
  for (;;) {
    if (range_is_next()) {
      const StreamRange& range = device_.ranges[range_];
      if (!precedes(range.begin_ns, range.end_ns, begin_ns, duration_ns)) return;
    } else {
      if (slice_ == device_.slices.size()) return;
      const DeviceSlice& slice = device_.slices[slice_];
      if (!precedes(slice.begin_ns, slice.end_ns, begin_ns, duration_ns)) return;
    }
    write_next(external_ids, write);
  }
}

void DeviceLines::write_rest(std::span<const uint64_t> external_ids, const Write& write) {
  while (slice_ < device_.slices.size() || range_ < device_.ranges.size())
    write_next(external_ids, write);
}

void DeviceLines::write_next(std::span<const uint64_t> external_ids, const Write& write) {
  if (range_is_next())
    write_range(device_.ranges[range_++], write);
  else
    write_slice(device_.slices[slice_++], external_ids, write);
}

void DeviceLines::write_range(const StreamRange& range, const Write& write) const {
  const Slice& slice = timeline_.slices[static_cast<std::size_t>(range.range)];
  write(fmt::format(
      R"({{"ph":"X","cat":"gpu_user_annotation","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{}}}})",
      json_quote(slice.name), range.device, range.stream, Microseconds{range.begin_ns},
      Microseconds{range.end_ns - range.begin_ns}));
}

void DeviceLines::write_slice(const DeviceSlice& slice, std::span<const uint64_t> external_ids,
                              const Write& write) const {
  const DeviceRow& row = *slice.row;
  const int64_t pid = is_of_host(row) ? pid_ : row.device;
  const Microseconds begin{slice.begin_ns};
  write(fmt::format(
      R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
      category(row.kind), json_quote(row.name), pid, row_of(row), begin,
      Microseconds{slice.end_ns - slice.begin_ns}, arguments(slice, external_ids)));
  if (!has_flow_[static_cast<std::size_t>(&slice - device_.slices.data())]) return;
  write(
      fmt::format(R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"cat":"ac2g","name":"ac2g"{}}})",
                  row.is_call() ? "s" : "f", row.correlation, pid, row_of(row), begin,
                  row.is_call() ? "" : R"(,"bp":"e")"));
}

std::string DeviceLines::arguments(const DeviceSlice& slice,
                                   std::span<const uint64_t> external_ids) const {
  const DeviceRow& row = *slice.row;
  std::string text;
  const auto add = [&]<typename Value>(const char* key, const Value& value) {
    text += fmt::format(R"({}"{}":{})", text.empty() ? "" : ",", key, value);
  };
  if (slice.operation >= 0)
    add("External id", external_ids[static_cast<std::size_t>(slice.operation)]);
  if (row.is_call()) add("cbid", row.cbid);
  if (row.kind != DeviceRowKind::Overhead) add("correlation", row.correlation);
  if (is_of_host(row)) return text;
  add("device", row.device);
  add("context", row.context);
  add("stream", row.stream);
  if (row.kind == DeviceRowKind::Sync) {
    add("cuda_sync_kind", json_quote(row.name));
    if (row.awaited_stream >= 0) add("wait_on_stream", row.awaited_stream);
    if (row.awaited_correlation) add("wait_on_cuda_event_record_corr_id", row.awaited_correlation);
    return text;
  }
  if (row.kind != DeviceRowKind::Kernel) {
    add("bytes", row.bytes);
    add("memory bandwidth (GB/s)",
        static_cast<double>(row.bytes) / static_cast<double>(slice.end_ns - slice.begin_ns));
    return text;
  }
  add("queued", row.queued_ns);
  add("registers per thread", row.registers);
  add("shared memory", row.shared_memory);
  add("grid", row.grid);
  add("block", row.block);
  if (row.graph) {
    add("graph id", row.graph);
    add("graph node id", row.graph_node);
  }
  return text;
}

}  // namespace notape::trace
