#include "trace/gpu/cupti/join_records.h"

#include <algorithm>
#include <unordered_map>

namespace notape::trace::cupti {
namespace {

/// `queued` is 0 unless it was asked for before CUDA began, and stale values have been seen.
bool is_believable_queue_time(const DeviceRow& row) {
  return row.queued_ns != 0 && static_cast<int64_t>(row.queued_ns) <= row.begin_ns;
}

}  // namespace

void join_records(std::vector<ActivityRecord> records,
                  const std::function<int64_t(int64_t)>& own_time, DeviceRecording& recording) {
  struct Numbers {
    uint64_t operation = 0, range = 0;
  };
  std::unordered_map<uint64_t, Numbers> numbers_of;
  std::unordered_map<uint64_t, const ActivityRecord*> event_of;
  std::unordered_map<uint32_t, int32_t> device_of;  // of contexts: waits name no device
  for (const ActivityRecord& record : records) {
    if (record.kind == ActivityRecord::Kind::External) {
      Numbers& numbers = numbers_of[record.row.correlation];
      (record.external_kind == ExternalKind::Operation ? numbers.operation : numbers.range) =
          record.external_id;
    }
    if (record.kind == ActivityRecord::Kind::Row && record.row.is_work())
      device_of.try_emplace(record.row.context, record.row.device);
    if (record.kind == ActivityRecord::Kind::Event && record.event)
      event_of[record.event] = &record;
  }
  for (ActivityRecord& record : records) {
    if (record.kind != ActivityRecord::Kind::Row) continue;
    DeviceRow& row = record.row;
    if (row.begin_ns == 0 && row.end_ns == 0) {
      ++recording.without_time;
      continue;
    }
    if (row.end_ns == 0 || row.end_ns < row.begin_ns) {
      ++recording.incomplete;
      continue;
    }
    row.queued_ns = is_believable_queue_time(row)
                        ? static_cast<uint64_t>(own_time(static_cast<int64_t>(row.queued_ns)))
                        : 0;
    row.begin_ns = own_time(row.begin_ns);
    row.end_ns = own_time(row.end_ns);
    if (const auto found = numbers_of.find(row.correlation);
        row.correlation != 0 && found != numbers_of.end()) {
      row.operation = found->second.operation;
      row.range = found->second.range;
    }
    if (row.kind == DeviceRowKind::Sync)
      if (const auto device = device_of.find(row.context); device != device_of.end())
        row.device = device->second;
    if (const auto awaited = record.event ? event_of.find(record.event) : event_of.end();
        awaited != event_of.end()) {
      row.awaited_stream = awaited->second->row.stream;
      row.awaited_correlation = awaited->second->row.correlation;
    }
    recording.rows.push_back(std::move(row));
  }
}

}  // namespace notape::trace::cupti
