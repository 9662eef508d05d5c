// EventLine: a RawEvent as a line of our dialect.
#pragma once
#include <string>

#include "trace/reader/raw_event.h"

namespace notape::trace {

/// "12.345": ns as us.
std::string microseconds_text(int64_t ns);

class EventLine {
 public:
  /// Times count from `base_ns`.
  explicit EventLine(int64_t base_ns) : base_ns_(base_ns) {}

  /// Good until the next call.
  const std::string& of(const RawEvent& event);
  /// Whether the last event's "args" were no JSON and are left out.
  bool lost_arguments() const { return lost_arguments_; }

 private:
  void append_time(const RawEvent& event);
  void append_id(const char* key, const RowId& id);
  void append_arguments(std::string_view text);

  int64_t base_ns_;
  std::string line_;
  bool lost_arguments_ = false;
};

}  // namespace notape::trace
