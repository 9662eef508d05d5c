// What a call of the CUDA runtime or driver does, by its name.
#pragma once
#include <string_view>

namespace notape::trace {

enum class ApiKind : unsigned char {
  KernelLaunch,
  GraphLaunch,
  DeviceAllocation,
  HostAllocation,
  Free,
  BlockingSync,    ///< waits for the device, a stream or an event
  Initialisation,  ///< makes streams, events, contexts, modules, handles; asks for properties
  Other,
};

ApiKind api_kind(std::string_view name);

/// Calls in which the host waits for the driver's memory management.
inline bool is_allocator_call(ApiKind kind) {
  return kind == ApiKind::DeviceAllocation || kind == ApiKind::HostAllocation ||
         kind == ApiKind::Free;
}

/// A range that a profiler or a program writes around ops: no op itself, even if the file calls it
/// one.
bool is_container_name(std::string_view name);
bool is_data_loading_name(std::string_view name);
/// The row that the engine writes around a backward node and what it runs.
bool is_backward_root_name(std::string_view name);
/// MulBackward0, AddmmBackward, AccumulateGrad: the node itself, all there is in files of 2021.
bool is_backward_node_name(std::string_view name);

}  // namespace notape::trace
