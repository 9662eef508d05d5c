#ifdef NOTAPE_HAVE_CUPTI
#include "trace/gpu/cupti/cupti_records.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace notape::trace::cupti {
namespace {

template <typename Record>
const Record& as(const CUpti_Activity& activity) {
  return reinterpret_cast<const Record&>(activity);
}

std::string demangled(const char* name) {
  if (!name) return "unnamed kernel";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return text ? text.get() : name;
}

const char* copy_kind(unsigned kind) {
  static constexpr const char* kNames[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                           "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

const char* memory_kind(unsigned kind) {
  static constexpr const char* kNames[] = {"Unknown",       "Pageable",      "Pinned",
                                           "Device",        "Array",         "Managed",
                                           "Device Static", "Managed Static"};
  return kind < std::size(kNames) ? kNames[kind] : kNames[0];
}

const char* sync_name(CUpti_ActivitySynchronizationType type) {
  switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      return "Event Sync";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
      return "Stream Wait Event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      return "Stream Sync";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      return "Context Sync";
    default:
      return "Unknown Sync";
  }
}

const char* overhead_name(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "Driver Compiler";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "Buffer Flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "Instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "Resource";
    default:
      return "Overhead";
  }
}

/// What kernels, copies and fills have under the same names.
template <typename Record>
DeviceRow work_row(const Record& record, DeviceRowKind kind) {
  DeviceRow row;
  row.kind = kind;
  row.begin_ns = static_cast<int64_t>(record.start);
  row.end_ns = static_cast<int64_t>(record.end);
  row.correlation = record.correlationId;
  row.device = static_cast<int32_t>(record.deviceId);
  row.context = record.contextId;
  row.stream = record.streamId;
  row.graph = record.graphId;
  row.graph_node = record.graphNodeId;
  return row;
}

DeviceRow kernel_row(const CUpti_ActivityKernel10& record) {
  DeviceRow row = work_row(record, DeviceRowKind::Kernel);
  row.name = demangled(record.name);
  row.queued_ns = record.queued <= record.submitted ? record.queued : 0;
  row.registers = record.registersPerThread;
  row.shared_memory = static_cast<uint32_t>(record.staticSharedMemory + record.dynamicSharedMemory);
  row.grid = {record.gridX, record.gridY, record.gridZ};
  row.block = {record.blockX, record.blockY, record.blockZ};
  return row;
}

template <typename Record>
DeviceRow copy_row(const Record& record) {
  DeviceRow row = work_row(record, DeviceRowKind::Copy);
  row.name = fmt::format("Memcpy {} ({} -> {})", copy_kind(record.copyKind),
                         memory_kind(record.srcKind), memory_kind(record.dstKind));
  row.bytes = record.bytes;
  return row;
}

DeviceRow fill_row(const CUpti_ActivityMemset4& record) {
  DeviceRow row = work_row(record, DeviceRowKind::Fill);
  row.name = fmt::format("Memset ({})", memory_kind(record.memoryKind));
  row.bytes = record.bytes;
  return row;
}

DeviceRow call_row(const CUpti_ActivityAPI& record) {
  DeviceRow row;
  row.kind = record.kind == CUPTI_ACTIVITY_KIND_DRIVER ? DeviceRowKind::DriverCall
                                                       : DeviceRowKind::RuntimeCall;
  row.begin_ns = static_cast<int64_t>(record.start);
  row.end_ns = static_cast<int64_t>(record.end);
  row.correlation = record.correlationId;
  row.cbid = record.cbid;
  row.tid = static_cast<int32_t>(record.threadId);  // of pthread_self() half is lost, and it shows
  return row;
}

ActivityRecord sync_record(const CUpti_ActivitySynchronization2& record) {
  ActivityRecord result;
  DeviceRow& row = result.row;
  row.kind = DeviceRowKind::Sync;
  row.name = sync_name(record.type);
  row.begin_ns = static_cast<int64_t>(record.start);
  row.end_ns = static_cast<int64_t>(record.end);
  row.correlation = record.correlationId;
  row.context = record.contextId;
  row.stream = record.streamId == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? int64_t{-1}
                                                                      : int64_t{record.streamId};
  row.sync_kind = record.type;
  if (record.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT)
    result.event = record.cudaEventSyncId;
  return result;
}

DeviceRow overhead_row(const CUpti_ActivityOverhead3& record) {
  DeviceRow row;
  row.kind = DeviceRowKind::Overhead;
  row.name = overhead_name(record.overheadKind);
  row.begin_ns = static_cast<int64_t>(record.start);
  row.end_ns = static_cast<int64_t>(record.end);
  return row;
}

ActivityRecord event_record(const CUpti_ActivityCudaEvent2& record) {
  ActivityRecord result;
  result.kind = ActivityRecord::Kind::Event;
  result.row.correlation = record.correlationId;
  result.row.stream = record.streamId;
  result.event = record.cudaEventSyncId;
  return result;
}

std::optional<ActivityRecord> external_record(const CUpti_ActivityExternalCorrelation& record) {
  ActivityRecord result;
  result.kind = ActivityRecord::Kind::External;
  result.row.correlation = record.correlationId;
  result.external_id = record.externalId;
  if (record.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
    result.external_kind = ExternalKind::Operation;
  else if (record.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1)
    result.external_kind = ExternalKind::Range;
  else
    return {};  // another tool's
  return result;
}

}  // namespace

std::string without_version(std::string_view function) {
  const std::size_t place = function.rfind("_v");
  if (place == std::string_view::npos || place + 2 == function.size()) return std::string(function);
  const std::string_view digits = function.substr(place + 2);
  const bool is_version = digits.find_first_not_of("0123456789") == std::string_view::npos;
  return std::string(is_version ? function.substr(0, place) : function);
}

std::optional<ActivityRecord> translate(const CUpti_Activity& activity) {
  const auto row = [](DeviceRow made) {
    ActivityRecord record;
    record.row = std::move(made);
    return record;
  };
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return row(call_row(as<CUpti_ActivityAPI>(activity)));
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return row(kernel_row(as<CUpti_ActivityKernel10>(activity)));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return row(copy_row(as<CUpti_ActivityMemcpy6>(activity)));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return row(copy_row(as<CUpti_ActivityMemcpyPtoP4>(activity)));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return row(fill_row(as<CUpti_ActivityMemset4>(activity)));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sync_record(as<CUpti_ActivitySynchronization2>(activity));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return row(overhead_row(as<CUpti_ActivityOverhead3>(activity)));
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return event_record(as<CUpti_ActivityCudaEvent2>(activity));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return external_record(as<CUpti_ActivityExternalCorrelation>(activity));
    default:
      return {};
  }
}

}  // namespace notape::trace::cupti
#endif
