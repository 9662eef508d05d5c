// Counters that a viewer shows as curves: launch queues and the caching allocator.
#pragma once
#include <string>
#include <vector>

#include "trace/analysis/scope.h"

namespace notape::trace {

/// "queue_length device 0 stream 7" with {"queued", "inflight"}, "gpu_memory device 0" with
/// {"allocated", "reserved"}; device and stream stand in the name, since viewers ignore an id.
/// In a file of several processes the name says which, and `scope` is about one.
/// A line for each change, by time for each counter; times count from `base_ns`.
std::vector<std::string> counter_lines(const Scope& scope, int64_t base_ns);

/// Whether a counter is one of ours.
bool is_counter_name(std::string_view name);

}  // namespace notape::trace
