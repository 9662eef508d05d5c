#include "trace/reader/event_parser.h"

#include <algorithm>
#include <iterator>

#include "trace/reader/decimal.h"

namespace notape::trace {
namespace {

std::string_view without_quotes(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"') return value.substr(1, value.size() - 2);
  return value;
}

struct NumberArgument {
  std::string_view key;
  std::optional<int64_t> EventArguments::*member;
};

// The second spelling of some is that of 2021.
constexpr NumberArgument kNumbers[] = {
    {"correlation", &EventArguments::correlation},
    {"External id", &EventArguments::external_id},
    {"external id", &EventArguments::external_id},
    {"stream", &EventArguments::stream},
    {"device", &EventArguments::device},
    {"Ev Idx", &EventArguments::event_index},
    {"Sequence number", &EventArguments::sequence_number},
    {"Fwd thread id", &EventArguments::forward_thread},
    {"bytes", &EventArguments::bytes},
    {"Bytes", &EventArguments::bytes},
    {"Addr", &EventArguments::address},
    {"Total Allocated", &EventArguments::total_allocated},
    {"Total Reserved", &EventArguments::total_reserved},
    {"Device Type", &EventArguments::device_type},
    {"Device Id", &EventArguments::device_id},
    {"graph id", &EventArguments::graph_id},
    {"wait_on_stream", &EventArguments::wait_on_stream},
};

RowId row_id(std::string_view text) {
  constexpr std::string_view kStream = "stream ";
  const std::string_view digits = text.starts_with(kStream) ? text.substr(kStream.size()) : text;
  return {whole_number(digits), text};
}

}  // namespace

std::string_view EventParser::text_of(JsonCursor& cursor, std::string& unescaped_text) {
  if (cursor.peek() != '"') return cursor.value();
  const JsonCursor::String string = cursor.string();
  if (!string.has_escapes) return string.text;
  unescaped_text = unescaped(string.text);
  return unescaped_text;
}

void EventParser::parse_time(JsonCursor& cursor, EventTime& time) {
  const std::string_view text = without_quotes(cursor.value());
  time.ns = nanoseconds(text);
  time.is_unusable = !time.ns;
}

void EventParser::parse_arguments(JsonCursor& cursor) {
  EventArguments& arguments = event_.arguments;
  arguments = {};
  if (cursor.peek() != '{') {
    arguments.text = cursor.value();
    return;
  }
  const std::size_t start = cursor.offset();
  cursor.members([&](std::string_view key) {
    const auto* const found = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                           [&](const auto& number) { return number.key == key; });
    if (found != std::end(kNumbers))
      arguments.*(found->member) = whole_number(without_quotes(cursor.value()));
    else if (key == "Input Dims" || key == "Input dims")
      arguments.input_dims = cursor.value();
    else if (key == "Input type")
      arguments.input_type = cursor.value();
    else if (key == "name")
      arguments.name = text_of(cursor, argument_name_);
    else
      cursor.value();
  });
  arguments.text = event_.text.substr(start, cursor.offset() - start);
}

void EventParser::parse_member(JsonCursor& cursor, std::string_view key) {
  if (key == "ph") {
    const std::string_view phase = without_quotes(cursor.value());
    event_.phase = phase.size() == 1 ? phase[0] : '\0';
  } else if (key == "cat") {
    event_.category = text_of(cursor, category_);
  } else if (key == "name") {
    event_.name = text_of(cursor, name_);
  } else if (key == "pid") {
    event_.pid = row_id(text_of(cursor, pid_));
  } else if (key == "tid") {
    event_.tid = row_id(text_of(cursor, tid_));
  } else if (key == "ts") {
    parse_time(cursor, event_.begin);
  } else if (key == "dur") {
    parse_time(cursor, event_.duration);
  } else if (key == "id") {
    event_.id = without_quotes(cursor.value());
  } else if (key == "args") {
    parse_arguments(cursor);
  } else {
    cursor.value();
  }
}

const RawEvent& EventParser::parse(JsonCursor& cursor, std::string_view text) {
  cursor.peek();
  const std::size_t start = cursor.offset();
  event_ = {};
  event_.text = text;  // parse_arguments cuts its part out of it
  cursor.members([&](std::string_view key) { parse_member(cursor, key); });
  event_.text = text.substr(start, cursor.offset() - start);
  return event_;
}

}  // namespace notape::trace
