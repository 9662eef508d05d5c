// DeviceRecording: what a device did during a session, and the calls that asked for it, as plain
// data. CUPTI's collector and the emulated GPU make it; the writer writes it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace notape::trace {

enum class DeviceRowKind : uint8_t { RuntimeCall, DriverCall, Kernel, Copy, Fill, Sync, Overhead };

/// A call on the host or an op of the device. What does not apply to its kind is 0.
struct DeviceRow {
  DeviceRowKind kind = DeviceRowKind::RuntimeCall;
  std::string name;
  int64_t begin_ns = 0, end_ns = 0;  ///< on the recorder's clock
  uint64_t correlation = 0;          ///< joins a call and what it put on the device; 0: none
  /// Numbers of the operation or node, and of the range, around the call: see EventNumber.
  uint64_t operation = 0, range = 0;

  int64_t tid = 0;    ///< calls: the thread that called, as the system numbers it
  uint32_t cbid = 0;  ///< calls: CUPTI's number of the function

  int32_t device = 0;
  uint32_t context = 0;
  int64_t stream = 0;  ///< -1: a wait for the whole device
  uint64_t bytes = 0;  ///< copies and fills
  uint64_t queued_ns = 0;
  uint32_t registers = 0, shared_memory = 0;
  std::array<int32_t, 3> grid{}, block{};
  uint64_t graph = 0, graph_node = 0;
  int64_t awaited_stream = -1;       ///< Stream Wait Event: where the event was recorded
  uint64_t awaited_correlation = 0;  ///< and the call that recorded it
  uint32_t sync_kind = 0;

  bool is_call() const {
    return kind == DeviceRowKind::RuntimeCall || kind == DeviceRowKind::DriverCall;
  }
  /// Kernels, copies and fills.
  bool is_work() const {
    return kind == DeviceRowKind::Kernel || kind == DeviceRowKind::Copy ||
           kind == DeviceRowKind::Fill;
  }
};

struct DeviceRecording {
  std::string device_kind = "cpu";  ///< "cuda", "emulated"
  std::string state = "not used";   ///< of CUPTI, in one line
  std::string clock = {};           ///< how times came to be on the recorder's clock
  std::vector<DeviceRow> rows = {};
  uint64_t dropped = 0;          ///< records that CUPTI lost
  uint64_t without_time = 0;     ///< begin and end 0: no room for time stamps on the device
  uint64_t incomplete = 0;       ///< had not ended when everything was asked for
  uint64_t refused_buffers = 0;  ///< asked for when all the memory set aside was full
  std::vector<std::string> calls_left_out = {};  ///< functions that were not recorded, by choice

  uint64_t lost() const { return dropped + without_time + incomplete; }
};

}  // namespace notape::trace
