#include "trace/reader/trace_reader.h"

#include <algorithm>
#include <cstring>

#include "autograd/error.h"

namespace notape::trace {

TraceReader::TraceReader(const std::string& path, const Limits& limits)
    : source_(path), limits_(limits), window_(limits.window) {}

bool TraceReader::read_more() {
  if (begin_ > 0) {
    std::memmove(window_.data(), window_.data() + begin_, end_ - begin_);
    consumed_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == window_.size()) {
    if (end_ >= limits_.longest_value)
      throw FileError("{}: the value at byte {} is longer than {} bytes", source_.path(), consumed_,
                      limits_.longest_value);
    window_.resize(2 * window_.size());
  }
  const std::size_t count = source_.read(window_.data() + end_, window_.size() - end_);
  end_ += count;
  return count > 0;
}

void TraceReader::refuse(const JsonCursor::Malformed& error) const {
  throw FileError("{} is not JSON at byte {}: {}", source_.path(), bytes_read() + error.offset,
                  error.what);
}

/// Parses a part of the file that must be in memory as a whole, and reads on until it is.
template <typename Parse>
auto TraceReader::whole(Parse parse) {
  for (;;) {
    JsonCursor cursor(text());
    try {
      auto result = parse(cursor);
      begin_ += cursor.offset();
      return result;
    } catch (const JsonCursor::OutOfText&) {
      if (!read_more()) throw Cut();
    } catch (const JsonCursor::Malformed& error) {
      refuse(error);
    }
  }
}

void TraceReader::start() {
  char first = 0;
  try {
    first = whole([](JsonCursor& cursor) { return cursor.peek(); });
  } catch (const Cut&) {
    throw FileError("{} is not a trace: it is empty", source_.path());
  }
  if (first != '{' && first != '[')
    throw FileError("{} is not a trace: it begins with neither '{' nor '['", source_.path());
  ++begin_;
  is_bare_array_ = first == '[';
  has_events_ = is_bare_array_;
  place_ = is_bare_array_ ? Place::Events : Place::Header;
}

void TraceReader::read_header_entry() {
  enum class Entry { End, Events, Other };
  const Entry entry = whole([&](JsonCursor& cursor) {
    cursor.take_if(',');
    if (cursor.take_if('}')) return Entry::End;
    const JsonCursor::String key = cursor.string();
    cursor.take(':');
    if (key.text == "traceEvents" && cursor.peek() == '[') {
      cursor.take('[');
      return Entry::Events;
    }
    const std::string_view value = cursor.value();
    const bool is_kept = value.size() <= limits_.kept_entry;
    header_.push_back({unescaped(key.text), std::string(is_kept ? value : "")});
    return Entry::Other;
  });
  if (entry == Entry::Other) return;
  has_events_ |= entry == Entry::Events;
  place_ = entry == Entry::Events ? Place::Events : Place::Done;
  if (place_ == Place::Done) finish();
}

/// Null: the element was no event, or the array has ended.
const RawEvent* TraceReader::read_element() {
  return whole([&](JsonCursor& cursor) -> const RawEvent* {
    cursor.take_if(',');
    if (cursor.take_if(']')) {
      place_ = is_bare_array_ ? Place::Done : Place::Header;
      return nullptr;
    }
    if (cursor.peek() == '{') return &parser_.parse(cursor, text());
    cursor.value();
    ++not_events_;
    return nullptr;
  });
}

void TraceReader::finish() {
  try {
    whole([](JsonCursor& cursor) { return cursor.peek(); });
    has_text_after_end_ = true;
  } catch (const Cut&) {
    is_truncated_ |= source_.is_cut();
  }
}

const RawEvent* TraceReader::next() {
  try {
    while (place_ != Place::Done) {
      if (place_ == Place::Start) {
        start();
      } else if (place_ == Place::Header) {
        read_header_entry();
      } else {
        if (const RawEvent* event = read_element()) return event;
        if (place_ == Place::Done) finish();
      }
    }
  } catch (const Cut&) {
    place_ = Place::Done;
    is_truncated_ = true;
  }
  if (!has_events_)
    throw FileError("{} is not a trace: it has no array \"traceEvents\"", source_.path());
  return nullptr;
}

std::optional<std::string_view> TraceReader::header(std::string_view key) const {
  const auto found = std::find_if(header_.rbegin(), header_.rend(),
                                  [&](const HeaderEntry& entry) { return entry.key == key; });
  if (found == header_.rend()) return {};
  return found->value;
}

}  // namespace notape::trace
