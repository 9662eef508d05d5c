#include "trace/convert/event_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "autograd/error.h"
#include "trace/model/api_kind.h"
#include "trace/model/row_kind.h"
#include "trace/reader/decimal.h"
#include "trace/reader/json_cursor.h"
#include "trace/write/microseconds.h"

namespace notape::trace {
namespace {

/// "+1", "007", ".5" and "5." are 1, 7, 0.5 and 5; empty if it is no number.
std::string number_in_json(std::string_view text) {
  std::string number = text.starts_with('-') ? "-" : "";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view found = text.substr(0, count);
    text.remove_prefix(count);
    return found;
  };
  const std::string_view whole = digits();
  const std::size_t zeros = std::min(whole.find_first_not_of('0'), whole.size());
  number += zeros == whole.size() ? "0" : whole.substr(zeros);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = digits();
    if (!fraction.empty()) (number += '.') += fraction;
  }
  number += text;  // an exponent, or what makes it no number
  const bool is_number = !(whole.empty() && fraction.empty()) && nlohmann::json::accept(number);
  return is_number ? number : "";
}

std::string with_strings_in_json(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t quote = std::min(text.find('"', i), text.size());
    result += text.substr(i, quote - i);
    if ((i = quote) == text.size()) break;
    const std::string_view string = JsonCursor(text.substr(quote)).value();
    result += json_quote(unescaped(string.substr(1, string.size() - 2)));
    i += string.size();
  }
  return result;
}

/// A value as JSON spells it; empty if JSON cannot: NaN, infinity, 1e999, and lists with such.
std::string value_in_json(std::string_view text) {
  if (nlohmann::json::accept(text)) return std::string(text);
  std::string spelled = with_strings_in_json(text);
  return nlohmann::json::accept(spelled) ? spelled : number_in_json(text);
}

}  // namespace

void EventLine::append_id(const char* key, const RowId& id) {
  if (id.number)
    fmt::format_to(std::back_inserter(line_), R"(,"{}":{})", key, *id.number);
  else  // Chrome's viewer refuses a file in which one event has none, so an empty one is kept
    fmt::format_to(std::back_inserter(line_), R"(,"{}":{})", key, json_quote(id.text));
}

/// Those that JSON can spell.
std::string EventLine::spelled_arguments(std::string_view text) {
  std::string result = "{";
  JsonCursor cursor(text);
  cursor.members([&](std::string_view key) {
    const std::string_view value = cursor.value();
    const std::string in_json = value_in_json(value);
    if (in_json.empty())
      lost_arguments_.push_back(fmt::format("\"{}\": {}", key, value));
    else
      result += fmt::format("{}{}:{}", result.size() > 1 ? "," : "",
                            value_in_json(fmt::format("\"{}\"", key)), in_json);
  });
  return result + "}";
}

void EventLine::append_arguments(std::string_view text) {
  std::string spelled;
  if (text.empty()) {
    text = "{}";
  } else if (!text.starts_with('{')) {
    lost_arguments_.push_back(fmt::format("\"args\": {}", text));
    text = "{}";
  } else if (!nlohmann::json::accept(text)) {
    text = spelled = spelled_arguments(text);
  }
  line_ += ",\"args\":";
  constexpr std::string_view kOld = "\"external id\"", kNew = "\"External id\"";
  bool is_inside_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_key = [&] {
      const std::size_t next = text.find_first_not_of(" \t\r\n", i + kOld.size());
      return next != std::string_view::npos && text[next] == ':';
    };
    if (!is_inside_string && text.substr(i, kOld.size()) == kOld && is_key()) {
      line_ += kNew;
      i += kOld.size() - 1;
      continue;
    }
    if (is_inside_string && text[i] == '\\') {
      line_ += text.substr(i++, 2);
      continue;
    }
    if (text[i] == '"') is_inside_string = !is_inside_string;
    // What lies between values need not be kept: an event is one line.
    const bool is_blank =
        !is_inside_string && (text[i] == '\n' || text[i] == '\r' || text[i] == ' ');
    if (!is_blank) line_ += text[i];
  }
}

/// Names have no time. The row of the whole profile, and marks of where it began, lie before
/// the base: they begin there.
void EventLine::append_time(const RawEvent& event) {
  const auto to_line = std::back_inserter(line_);
  const bool is_mark =
      row_kind(event.category) == RowKind::Span || (event.phase == 'i' && event.category.empty());
  const int64_t late =
      event.begin.ns && is_mark ? std::max<int64_t>(0, base_ns_ - *event.begin.ns) : 0;
  if (event.begin.ns && event.phase != 'M')
    fmt::format_to(to_line, R"(,"ts":{})", Microseconds{*event.begin.ns + late - base_ns_});
  if (event.duration.ns)
    fmt::format_to(to_line, R"(,"dur":{})",
                   Microseconds{std::max<int64_t>(0, *event.duration.ns - late)});
}

const std::string& EventLine::of(const RawEvent& event) {
  const RowKind kind = row_kind(event.category);
  line_ = "{";
  if (event.phase) line_ += fmt::format(R"("ph":{},)", json_quote({&event.phase, 1}));
  line_ += fmt::format(R"("name":{})", json_quote(event.name));
  const auto to_line = std::back_inserter(line_);
  if (!event.category.empty()) {
    std::string_view category = category_today(event.category);
    if (kind == RowKind::HostOp && is_container_name(event.name)) category = "user_annotation";
    fmt::format_to(to_line, R"(,"cat":{})", json_quote(category));
  }
  if (!event.id.empty()) {
    const auto number = whole_number(event.id);
    fmt::format_to(to_line, R"(,"id":{})",
                   number ? std::to_string(*number) : json_quote(unescaped(event.id)));
  }
  RowId pid = event.pid, tid = event.tid;
  if (event.phase == 'X' && is_gpu_row(kind)) {
    if (event.arguments.device && !is_of_several_) pid = {event.arguments.device, ""};
    if (event.arguments.stream) tid = {event.arguments.stream, ""};
  }
  append_id("pid", pid);
  const bool is_of_thread = event.phase != 'C' && event.phase != 'M';
  if (is_of_thread || tid != RowId()) append_id("tid", tid);
  append_time(event);
  if (event.phase == 'i' || event.phase == 'I')
    line_ += pid == RowId() ? R"(,"s":"g")" : R"(,"s":"t")";  // of all processes, or of a thread
  if (event.phase == 'f') line_ += R"(,"bp":"e")";
  lost_arguments_.clear();
  if (event.phase != 's' && event.phase != 'f') append_arguments(event.arguments.text);
  line_ += '}';
  return line_;
}

}  // namespace notape::trace
