// The reader under text that nobody wrote: events of every dialect, cut, spliced and garbled. It
// may refuse a file, by a FileError; it may not crash, hang, or read beyond its buffer
// (./run asan).
#include <gtest/gtest.h>

#include <random>

#include "autograd/error.h"
#include "trace/fuzz/garble.h"
#include "trace/reader/trace_reader.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

TEST(TraceReaderFuzz, ReadsOrRefusesGarbledText) {
  std::mt19937 random(2017);
  uint64_t refused = 0, cut = 0, events = 0;
  for (int round = 0; round < 10'000; ++round) {
    const testing::TextFile file(fuzz::garbled(fuzz::dialects(), random()), round % 8 ? ".json" : ".json.gz");
    TraceReader::Limits limits;
    limits.window = 1 + random() % 300;
    TraceReader reader(file.path(), limits);
    try {
      while (const RawEvent* event = reader.next()) {
        ++events;
        EXPECT_LE(event->arguments.text.size(), event->text.size());
      }
      cut += reader.is_truncated();
    } catch (const FileError& error) {
      ++refused;
      EXPECT_EQ(error.what_without_backtrace().find('\n'), std::string::npos);
    }
  }
  // All three happen, or the test would show little.
  EXPECT_GT(refused, 1'000u);
  EXPECT_GT(cut, 1'000u);
  EXPECT_GT(events, 1'000u);
}

}  // namespace
}  // namespace notape::trace
