// RawEvent: one event of a Chrome trace, as its file spells it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace notape::trace {

/// A process, thread or flow: a number in most files, a text in others ("118664", "stream 7",
/// "Spans"). Numeric texts and "stream 7" count as their number.
struct RowId {
  std::optional<int64_t> number;
  std::string_view text;  ///< without quotes

  bool operator==(const RowId&) const = default;
};

/// A time in ns. Missing: neither member holds. Unusable: there was one that is no number (NaN, a
/// word), or leaves int64.
struct EventTime {
  std::optional<int64_t> ns;
  bool is_unusable = false;
};

/// The members of "args" that the analyses know.
struct EventArguments {
  std::optional<int64_t> correlation, external_id, event_index, device, stream;
  std::optional<int64_t> sequence_number, forward_thread;
  std::optional<int64_t> bytes, address, total_allocated, total_reserved, device_type, device_id;
  std::optional<int64_t> graph_id, wait_on_stream;
  std::string_view input_dims, input_type;  ///< JSON text
  std::string_view name;                    ///< of names of processes and threads
  std::string_view text;                    ///< all of "args", as written
};

/// The views point into the reader's buffer: they are good until its next event.
struct RawEvent {
  char phase = 0;  ///< 0 if it is missing or longer than a letter
  std::string_view category, name;
  RowId pid, tid;
  EventTime begin, duration;
  std::string_view id;  ///< of flows and asynchronous events, as written
  EventArguments arguments;
  std::string_view text;  ///< the whole event, as written
};

}  // namespace notape::trace
