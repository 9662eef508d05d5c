// TraceReader: the events of a Chrome or Kineto trace one after the other, in bounded memory.
//
// The file is an object with "traceEvents", in any layout and with its other keys before or after,
// or an array of events; plain or compressed. What is in memory is a window of the text, no larger
// than the longest event needs. A file that ends too soon yields every complete event.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/reader/byte_source.h"
#include "trace/reader/event_parser.h"

namespace notape::trace {

/// A key beside "traceEvents".
struct HeaderEntry {
  std::string key;
  std::string value;  ///< JSON text; empty if it was too long to be kept
};

class TraceReader {
 public:
  struct Limits {
    std::size_t window = std::size_t{1} << 20;         ///< bytes read at a time
    std::size_t longest_value = std::size_t{1} << 26;  ///< of an event or a header entry
    std::size_t kept_entry = std::size_t{1} << 20;     ///< longer header entries are not kept
  };

  /// Here and in next(): throws FileError, one line, if the file cannot be read or is no trace.
  explicit TraceReader(const std::string& path) : TraceReader(path, Limits()) {}
  TraceReader(const std::string& path, const Limits& limits);

  /// The next event, good until the next call; null at the end.
  const RawEvent* next();

  /// Complete at the end only: foreign files have keys after the events.
  const std::vector<HeaderEntry>& header() const { return header_; }
  /// The value of a header entry as written, or nothing.
  std::optional<std::string_view> header(std::string_view key) const;
  /// The file ended inside a value.
  bool is_truncated() const { return is_truncated_; }
  /// Elements of "traceEvents" that are no objects.
  uint64_t not_events() const { return not_events_; }
  /// There is more text after the end of the trace.
  bool has_text_after_end() const { return has_text_after_end_; }
  uint64_t bytes_read() const { return consumed_ + begin_; }

 private:
  enum class Place { Start, Header, Events, Done };
  struct Cut {};

  std::string_view text() const { return {window_.data() + begin_, end_ - begin_}; }
  bool read_more();
  template <typename Parse>
  auto whole(Parse parse);
  [[noreturn]] void refuse(const JsonCursor::Malformed& error) const;
  void start();
  void read_header_entry();
  const RawEvent* read_element();
  void finish();

  ByteSource source_;
  Limits limits_;
  EventParser parser_;
  std::vector<char> window_;
  std::size_t begin_ = 0, end_ = 0;  // the part of the window that has not been consumed
  uint64_t consumed_ = 0;            // bytes before the window
  Place place_ = Place::Start;
  bool is_bare_array_ = false;  // the file is the array of events
  bool has_events_ = false;
  std::vector<HeaderEntry> header_;
  bool is_truncated_ = false, has_text_after_end_ = false;
  uint64_t not_events_ = 0;
};

}  // namespace notape::trace
