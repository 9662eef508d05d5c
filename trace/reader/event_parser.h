// EventParser: the text of one event becomes a RawEvent.
#pragma once
#include <string>
#include <string_view>

#include "trace/reader/json_cursor.h"
#include "trace/reader/raw_event.h"

namespace notape::trace {

class EventParser {
 public:
  /// The object at `cursor`, good until the next call. Of a key that comes twice the last holds.
  /// Throws what JsonCursor throws.
  const RawEvent& parse(JsonCursor& cursor, std::string_view text);

 private:
  std::string_view text_of(JsonCursor& cursor, std::string& unescaped_text);
  void parse_member(JsonCursor& cursor, std::string_view key);
  void parse_time(JsonCursor& cursor, EventTime& time);
  void parse_arguments(JsonCursor& cursor);

  RawEvent event_;
  std::string name_, category_, argument_name_, pid_, tid_;  // where the file has escapes
};

}  // namespace notape::trace
