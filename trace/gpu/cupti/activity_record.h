// ActivityRecord: one record of CUPTI's activity API, as the collector sees it, whatever version of
// the library it came from.
#pragma once
#include "trace/record/device_recording.h"

namespace notape::trace::cupti {

/// Two stacks of numbers per thread: CUPTI's CUSTOM0 and CUSTOM1.
enum class ExternalKind : uint8_t { Operation, Range };

struct ActivityRecord {
  enum class Kind : uint8_t {
    Row,       ///< `row`; its times are on CUPTI's clock
    External,  ///< `row.correlation` was called while `external_id` was the innermost of its kind
    Event,     ///< an event was recorded: `row.stream`, `row.correlation`, `event`
  };
  Kind kind = Kind::Row;
  DeviceRow row = {};
  ExternalKind external_kind = ExternalKind::Operation;
  uint64_t external_id = 0;
  /// Event: its number; Row of a Stream Wait Event: that of the event awaited. 0: unknown.
  uint64_t event = 0;
};

}  // namespace notape::trace::cupti
