// The reader under text that nobody wrote: events of every dialect, cut, spliced and garbled. It
// may refuse a file, by a FileError; it may not crash, hang, or read beyond its buffer
// (./run asan).
#include <gtest/gtest.h>

#include <random>

#include "autograd/error.h"
#include "trace/reader/trace_reader.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

// 2021, 2024, and a bare array with strings for numbers.
constexpr const char* kDialects[] = {
    R"({"schemaVersion":1,"traceEvents":[
        {"ph":"X","cat":"Operator","name":"aten::empty","pid":8,"tid":"1441273664",
         "ts":1610366387140599,"dur":14,"args":{"Input dims":[[],[]],"Device":0,"External id":1}},
        {"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":5,"dur":0,
         "args":{"stream":7,"correlation":6,"external id":872}}]})",
    R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"v\"\\\u00e9<4u>","pid":0,"tid":7,
        "ts":1712195495505583.123,"dur":4.928,"args":{"External id":112,"device":0,"stream":7,
        "correlation":135071,"grid":[1,2,3],"est. achieved occupancy %":0.5}},{"ph":"f","id":1,
        "pid":0,"tid":7,"ts":1e3,"cat":"ac2g","name":"ac2g","bp":"e"}],"displayTimeUnit":"ns"})",
    R"([{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":-2,"ts":"3.5",
        "args":{"Bytes":-144384,"Addr":128184607182336,"Device Id":0,"Device Type":1}},NaN,null])",
};

constexpr const char* kWords[] = {"\"", "\\", "{", "}",  "[",    "]",     ",",    ":",       "NaN",
                                  "-",  "1e", ".", "\0", "\xff", "\\ud8", "null", "\"ts\":", " "};

std::string mutated(std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return random() % limit; };
  std::string text = kDialects[below(std::size(kDialects))];
  for (std::size_t changes = 1 + below(6); changes > 0 && !text.empty(); --changes) {
    const std::size_t place = below(text.size());
    switch (below(6)) {
      case 0:
        text[place] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(place, 1 + below(20));
        break;
      case 2:
        text.insert(place, kWords[below(std::size(kWords))]);
        break;
      case 3:
        text.resize(place);
        break;
      case 4:
        text.insert(place, text.substr(below(text.size()), below(60)));
        break;
      default:
        text.insert(place, std::string(below(700), "[{\"9"[below(4)]));
    }
  }
  return text;
}

TEST(TraceReaderFuzz, ReadsOrRefusesGarbledText) {
  std::mt19937 random(2017);
  uint64_t refused = 0, cut = 0, events = 0;
  for (int round = 0; round < 10'000; ++round) {
    const testing::TextFile file(mutated(random), round % 8 ? ".json" : ".json.gz");
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
