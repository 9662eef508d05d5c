#include "trace/write/trace_metadata.h"

#include <nlohmann/json.hpp>

namespace notape::trace {
namespace {

using Json = nlohmann::ordered_json;

Json clocks(const ClockPair& pair) {
  return {{"realtime_ns", pair.realtime_ns}, {"monotonic_ns", pair.monotonic_ns}};
}

/// How the device's rows came to be, and what is missing.
Json device_text(const DeviceRecording& device) {
  return {{"clock", device.clock},
          {"rows", device.rows.size()},
          {"dropped", device.dropped},
          {"without_time", device.without_time},
          {"incomplete", device.incomplete},
          {"refused_buffers", device.refused_buffers},
          {"calls_left_out", device.calls_left_out}};
}

}  // namespace

std::string trace_metadata(const Recording& recording, const TraceTotals& totals) {
  Json lost = Json::array();
  uint64_t dropped = recording.device.lost();
  for (const auto& [tid, count] : totals.dropped) {
    lost.push_back({{"tid", tid}, {"dropped", count}});
    dropped += count;
  }
  const bool is_virtual = recording.device.device_kind == "emulated";
  const RecorderCost& cost = recording.cost;
  Json costs = {{"operation", cost.operation_ns}, {"node", cost.node_ns}, {"range", cost.range_ns}};
  Json categories = {"cpu_op", "user_annotation", "fwdbwd"};
  if (cost.operands_ns > 0) costs["two operands"] = cost.operands_ns;
  if (cost.memory_ns > 0) {
    costs["memory"] = cost.memory_ns;
    categories.push_back("cpu_instant_event");
  }
  const Json text = {
      {"recorder", "notape " NOTAPE_VERSION},
      {"clock", is_virtual ? "virtual" : "CLOCK_MONOTONIC"},
      {"clock_start", clocks(recording.started)},
      {"clock_stop", clocks(recording.stopped)},
      {"drift_ppm", is_virtual ? 0 : drift_ppm(recording.started, recording.stopped)},
      {"cost_ns", std::move(costs)},
      {"events_per_thread", recording.events_per_thread},
      {"events", totals.events},
      {"threads", totals.threads},
      {"dropped", dropped},
      {"dropped_by_thread", std::move(lost)},
      {"unfinished", totals.unfinished},
      {"clipped", totals.clipped},
      {"interrupted", recording.interrupted},
      {"order", totals.is_streamed ? "end" : "begin"},
      {"device_kind", recording.device.device_kind},
      {"categories", std::move(categories)},
      {"cupti", recording.device.state},
      {"device", device_text(recording.device)}};
  return text.dump();
}

}  // namespace notape::trace
