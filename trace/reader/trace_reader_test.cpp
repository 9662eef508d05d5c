#include "trace/reader/trace_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "autograd/error.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TextFile;
using testing::trace_of;

struct Seen {
  std::vector<std::string> names;
  bool truncated = false;
  uint64_t not_events = 0;
};

Seen read_all(const std::string& path, const TraceReader::Limits& limits = {}) {
  TraceReader reader(path, limits);
  Seen seen;
  while (const RawEvent* event = reader.next()) seen.names.emplace_back(event->name);
  seen.truncated = reader.is_truncated();
  seen.not_events = reader.not_events();
  return seen;
}

Seen read_text(std::string_view text, std::string_view ending = ".json",
               const TraceReader::Limits& limits = {}) {
  return read_all(TextFile(text, ending).path(), limits);
}

std::string complaint(std::string_view text, std::string_view ending = ".json") {
  try {
    read_text(text, ending);
  } catch (const FileError& error) {
    return error.what_without_backtrace();
  }
  return "";
}

constexpr const char* kEvents =
    R"({"ph":"X","name":"a","ts":1,"dur":2},{"ph":"X","name":"b"},{"ph":"i","name":"c"})";

TEST(TraceReader, ReadsEveryFieldOfAnEvent) {
  const TextFile file(trace_of(
      R"({"ph": "X", "cat": "kernel", "name": "a\"b", "pid": 0, "tid": "stream 7", "id": 12,
          "ts": "1712195495519695.807", "dur": 4.5, "unknown": [{}], "args": {"External id": 112,
          "device": 1, "stream": 7, "correlation": 135071, "bytes": 256, "Input Dims": [[1, 2]],
          "Sequence number": -1, "Fwd thread id": 3, "graph id": 9, "x": null}})"));
  TraceReader reader(file.path());
  const RawEvent* event = reader.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->phase, 'X');
  EXPECT_EQ(event->category, "kernel");
  EXPECT_EQ(event->name, "a\"b");
  EXPECT_EQ(event->pid.number, 0);
  EXPECT_EQ(event->tid.number, 7);
  EXPECT_EQ(event->tid.text, "stream 7");
  EXPECT_EQ(event->id, "12");
  EXPECT_EQ(event->begin.ns, 1'712'195'495'519'695'807);
  EXPECT_EQ(event->duration.ns, 4'500);
  const EventArguments& arguments = event->arguments;
  EXPECT_EQ(arguments.external_id, 112);
  EXPECT_EQ(arguments.device, 1);
  EXPECT_EQ(arguments.stream, 7);
  EXPECT_EQ(arguments.correlation, 135'071);
  EXPECT_EQ(arguments.bytes, 256);
  EXPECT_EQ(arguments.input_dims, "[[1, 2]]");
  EXPECT_EQ(arguments.sequence_number, -1);
  EXPECT_EQ(arguments.forward_thread, 3);
  EXPECT_EQ(arguments.graph_id, 9);
  EXPECT_TRUE(event->text.starts_with("{\"ph\"") && event->text.ends_with("}}"));
  EXPECT_TRUE(arguments.text.starts_with("{\"External") && arguments.text.ends_with("null}"));
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next()) << "the end stays the end";
}

TEST(TraceReader, OfAKeyThatComesTwiceTheLastHolds) {
  const TextFile file(trace_of(
      R"({"name":"a","name":"b","ts":1,"ts":2,"args":{"correlation":1},"args":{"stream":7}})"));
  TraceReader reader(file.path());
  const RawEvent* event = reader.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->name, "b");
  EXPECT_EQ(event->begin.ns, 2'000);
  EXPECT_FALSE(event->arguments.correlation);
  EXPECT_EQ(event->arguments.stream, 7);
}

TEST(TraceReader, KeepsTimesThatAreNoNumbersApartFromMissingOnes) {
  for (const char* time : {"NaN", "Infinity", "null", "true", "\"soon\"", "[1]", "1e300"}) {
    const TextFile file(trace_of(std::string(R"({"ph":"X","name":"a","ts":)") + time + "}"));
    TraceReader reader(file.path());
    const RawEvent* event = reader.next();
    ASSERT_TRUE(event);
    EXPECT_FALSE(event->begin.ns) << time;
    EXPECT_TRUE(event->begin.is_unusable) << time;
    EXPECT_FALSE(event->duration.is_unusable) << time;
  }
}

TEST(TraceReader, TakesAnyLayoutAndPlaceOfTheOtherKeys) {
  const std::string events = kEvents;
  for (const std::string& text : {trace_of(events),
                                  "\n { \"z\" : {\"traceEvents\":[]} ,\n\"traceEvents\" : [\n" +
                                      events + ",\n]\n, \"traceName\": \"x\"\n}\n",
                                  "[" + events + "]", "[" + events + ",]"}) {
    for (const char* ending : {".json", ".json.gz"}) {
      const Seen seen = read_text(text, ending);
      EXPECT_THAT(seen.names, ElementsAre("a", "b", "c")) << text;
      EXPECT_FALSE(seen.truncated) << text;
    }
  }
}

TEST(TraceReader, KeepsTheHeaderFromBeforeAndAfterTheEvents) {
  const TextFile file(R"({"baseTimeNanoseconds": 1751410836000000000, "traceEvents": [],
                          "long": "xxxxxxxxxxxxxxxxxxxx", "distributedInfo": {"rank": 3}})");
  TraceReader::Limits limits;
  limits.kept_entry = 20;
  TraceReader reader(file.path(), limits);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.header("baseTimeNanoseconds"), "1751410836000000000");
  EXPECT_EQ(reader.header("distributedInfo"), R"({"rank": 3})");
  EXPECT_EQ(reader.header("long"), "");
  EXPECT_FALSE(reader.header("nothing"));
}

TEST(TraceReader, RecoversACutFileUpToTheLastCompleteEvent) {
  const std::string whole = trace_of(kEvents);
  const std::size_t first = whole.find('[') + 1;
  std::size_t most = 0;
  for (std::size_t length = first; length < whole.size(); ++length) {
    const Seen seen = read_text(whole.substr(0, length));
    EXPECT_TRUE(seen.truncated) << whole.substr(0, length);
    EXPECT_GE(seen.names.size(), most);
    most = seen.names.size();
    const auto complete = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '}'));
    EXPECT_EQ(seen.names.size(), complete) << whole.substr(0, length);
  }
  EXPECT_EQ(most, 3u);
}

TEST(TraceReader, RecoversACutArchive) {
  std::string events;
  for (int i = 0; i < 20'000; ++i)
    events +=
        fmt::format("{}{{\"ph\":\"X\",\"name\":\"{}\",\"ts\":{}}}", i ? "," : "", i, i * 7919);
  const TextFile file(trace_of(events), ".json.gz");
  EXPECT_EQ(read_all(file.path()).names.size(), 20'000u);
  std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
  const Seen seen = read_all(file.path());
  EXPECT_TRUE(seen.truncated);
  EXPECT_GT(seen.names.size(), 1'000u);
  EXPECT_LT(seen.names.size(), 20'000u);
}

TEST(TraceReader, RefusesADamagedArchive) {
  const TextFile file(trace_of(kEvents), ".json.gz");
  std::FILE* in = std::fopen(file.path().c_str(), "r+b");
  ASSERT_TRUE(in);
  std::fseek(in, 20, SEEK_SET);
  for (int i = 0; i < 12; ++i) std::fputc(0xff, in);
  std::fclose(in);
  EXPECT_THROW(read_all(file.path()), FileError);
}

TEST(TraceReader, ReadsThroughAWindowSmallerThanAnEvent) {
  TraceReader::Limits limits;
  for (limits.window = 1; limits.window < 80; limits.window += 3)
    EXPECT_THAT(read_text(trace_of(kEvents), ".json", limits).names, ElementsAre("a", "b", "c"));
}

TEST(TraceReader, RefusesAValueThatWouldNotFitInMemory) {
  TraceReader::Limits limits;
  limits.window = 64;
  limits.longest_value = 1'000;
  const std::string text = trace_of("{\"name\":\"" + std::string(5'000, 'x') + "\"}");
  EXPECT_THROW(read_text(text, ".json", limits), FileError);
}

TEST(TraceReader, CountsWhatIsNoEvent) {
  const Seen seen = read_text(trace_of(R"(1,"x",null,[2],{"name":"a"},{})"));
  EXPECT_THAT(seen.names, ElementsAre("a", ""));
  EXPECT_EQ(seen.not_events, 4u);
}

TEST(TraceReader, SaysInOneLineWhatIsNoTrace) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "is empty"},
      {" \n", "is empty"},
      {"hello", "begins with neither"},
      {std::string("\x7f"
                   "ELF\x02\x01\x01\0\0\0",
                   10),
       "begins with neither"},
      {"{}", "no array \"traceEvents\""},
      {"{\"a\":1", "no array \"traceEvents\""},
      {R"({"traceEvents": 5})", "no array \"traceEvents\""},
      {R"({"traceEvents": {}})", "no array \"traceEvents\""},
      {R"({traceEvents: []})", "not JSON at byte 1"},
      {R"({"traceEvents" []})", "where ':' belongs"},
      {trace_of(R"({"a":1]})"), "not JSON at byte"},
      {trace_of(R"({"a" "b"})"), "where ':' belongs"},
      {trace_of("\x01"), "'\\x01' where a value belongs"},
      {trace_of(R"({"args":)" + std::string(100'000, '[')), "nested deeper"},
      {trace_of(std::string(100'000, '[')), "nested deeper"},
  };
  for (const auto& [text, what] : cases)
    for (const char* ending : {".json", ".json.gz"}) {
      const std::string line = complaint(text, ending);
      EXPECT_THAT(line, HasSubstr(what)) << text.substr(0, 80);
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }
  EXPECT_THROW(read_all("/no/such/file.json"), FileError);
  EXPECT_THROW(read_all(std::filesystem::temp_directory_path()), FileError);
}

int64_t peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

TEST(TraceReader, NeedsNoMoreMemoryForALargeFile) {
  std::string events;
  while (events.size() < 1 << 20) events += (events.empty() ? "" : ",\n") + std::string(kEvents);
  const testing::TemporaryFile file(".json.gz");
  const gzFile out = gzopen(file.path().c_str(), "wb1");
  gzputs(out, "[");
  for (int i = 0; i < 200; ++i) {
    gzwrite(out, events.data(), static_cast<unsigned>(events.size()));
    gzputs(out, ",");
  }
  gzputs(out, "]");
  gzclose(out);
  const int64_t before = peak_megabytes();
  TraceReader reader(file.path());
  uint64_t count = 0;
  while (reader.next()) ++count;
  EXPECT_GT(count, 5'000'000u);
  EXPECT_GT(reader.bytes_read(), 200u << 20);
  EXPECT_LT(peak_megabytes() - before, 32);
}

TEST(TraceReader, NoticesTextAfterTheEnd) {
  const TextFile file(trace_of(kEvents) + "\n{}");
  TraceReader reader(file.path());
  while (reader.next()) {
  }
  EXPECT_TRUE(reader.has_text_after_end());
  EXPECT_FALSE(reader.is_truncated());
}

}  // namespace
}  // namespace notape::trace
