// EventLine: a RawEvent as a line of our dialect.
#pragma once
#include <string>
#include <vector>

#include "trace/reader/raw_event.h"

namespace notape::trace {

class EventLine {
 public:
  /// Times count from `base_ns`. The process of GPU rows is the device; in a file of several
  /// processes it stays as it is, or rows of different ones would become one.
  EventLine(int64_t base_ns, bool is_of_several)
      : base_ns_(base_ns), is_of_several_(is_of_several) {}

  /// Good until the next call.
  const std::string& of(const RawEvent& event);
  /// What of the last event's "args" JSON has no spelling for and is left out: `"x": inf`.
  const std::vector<std::string>& lost_arguments() const { return lost_arguments_; }

 private:
  void append_time(const RawEvent& event);
  void append_id(const char* key, const RowId& id);
  void append_arguments(std::string_view text);
  std::string spelled_arguments(std::string_view text);

  int64_t base_ns_;
  bool is_of_several_;
  std::string line_;
  std::vector<std::string> lost_arguments_;
};

}  // namespace notape::trace
