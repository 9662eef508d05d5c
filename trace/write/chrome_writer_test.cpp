#include "trace/write/chrome_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "autograd/tensor/factories.h"
#include "ops/elementwise.h"
#include "trace/record/range.h"
#include "trace/testing/recordings.h"
#include "trace/write/check_trace.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using nlohmann::json;
using testing::event;
using ::testing::IsEmpty;
using testing::node;
using testing::operation;
using testing::record;
using testing::recording_of;
using ::testing::StartsWith;
using testing::TemporaryFile;

void write(const Recording& recording, const std::string& path) {
  write_chrome_trace(recording, make_timeline(recording), path);
}
json written(const Recording& recording) {
  const TemporaryFile file(".json");
  write(recording, file.path());
  return json::parse(read_file(file.path()));
}
json event_named(const json& file, std::string_view name, std::string_view phase = "X") {
  for (const json& event : file["traceEvents"])
    if (event["name"] == name && event["ph"] == phase) return event;
  ADD_FAILURE() << "no event " << name;
  return json::object();
}

/// Two steps of forward and backward on two threads.
Recording small_training() {
  return record([] {
    const auto work = [] {
      const Tensor x = ones({4}, requires_grad());
      for (uint64_t i = 0; i < 2; ++i) {
        const Step step(i);
        const Range range("forward and \"backward\"");
        (x * x + x).backward(ones({4}));
      }
    };
    std::thread other(work);
    work();
    other.join();
  });
}

TEST(ChromeWriter, WritesWhatTheCheckerAccepts) {
  for (const char* ending : {".json", ".json.gz"}) {
    const TemporaryFile file(ending);
    write(small_training(), file.path());
    const TraceCheck check = check_trace(file.path());
    EXPECT_THAT(check.complaints, IsEmpty()) << ending;
    EXPECT_EQ(check.flows, 8U) << ending;  // 2 threads, 2 steps, 2 nodes
    EXPECT_GT(check.slices, 30U) << ending;
  }
}

TEST(ChromeWriter, PacksFilesNamedGz) {
  const TemporaryFile plain(".json"), packed(".json.gz");
  const Recording recording = small_training();
  write(recording, plain.path());
  write(recording, packed.path());
  const auto first_bytes = [](const std::string& path) {
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    std::string bytes(2, ' ');
    EXPECT_EQ(std::fread(bytes.data(), 1, 2, file.get()), 2U);
    return bytes;
  };
  EXPECT_EQ(first_bytes(plain.path()), "{\"");
  EXPECT_EQ(first_bytes(packed.path()), "\x1f\x8b");
  json a = json::parse(read_file(plain.path())), b = json::parse(read_file(packed.path()));
  EXPECT_EQ(a["traceEvents"], b["traceEvents"]);
}

TEST(ChromeWriter, WritesOneEventPerLineAndTheRankWithABlank) {
  const TemporaryFile file(".json");
  write(recording_of({{1, 100, "main", {operation("add", 1234567, 1234999, 0, 0)}, 0}}),
        file.path());
  const std::string text = read_file(file.path());
  EXPECT_THAT(text, StartsWith("{\"schemaVersion\": 1, \"deviceProperties\": [],\n"
                               "\"distributedInfo\": {\"rank\": 0},\n"));
  const auto at = text.find("{\"ph\":\"X\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text[at - 1], '\n');
  const std::string line = text.substr(at, text.find('\n', at) - at);
  EXPECT_NE(line.find("\"ts\":1234.567,\"dur\":0.432,"), std::string::npos) << line;
  EXPECT_EQ(json::parse(line)["name"], "add");
}

TEST(ChromeWriter, WritesBackwardNodesAsTheEngineAndTheNodeInside) {
  const json file = written(recording_of({
      {1, 100, "forward", {operation("mul", 1000, 2000, 7, 1)}, 0},
      {2, 200, "backward", {node("MulBackward0", 3000, 4000, 7, 1)}, 0},
  }));
  const json forward = event_named(file, "mul"),
             outer = event_named(file, "autograd::engine::evaluate_function: MulBackward0"),
             inner = event_named(file, "MulBackward0");
  EXPECT_EQ(forward["args"]["Sequence number"], 7);
  EXPECT_FALSE(forward["args"].contains("Fwd thread id"));
  for (const json& slice : {outer, inner}) {
    EXPECT_EQ(slice["cat"], "cpu_op");
    EXPECT_EQ(slice["tid"], 200);
    EXPECT_EQ(slice["args"]["Sequence number"], 7);
    EXPECT_EQ(slice["args"]["Fwd thread id"], 100);
  }
  const json start = event_named(file, "fwdbwd", "s"), end = event_named(file, "fwdbwd", "f");
  EXPECT_EQ(start["id"], 1);
  EXPECT_EQ(end["id"], 1);
  EXPECT_EQ(start["tid"], 100);
  EXPECT_EQ(start["ts"], forward["ts"]);
  EXPECT_EQ(end["tid"], 200);
  EXPECT_EQ(end["ts"], outer["ts"]);
  EXPECT_EQ(end["bp"], "e");
}

TEST(ChromeWriter, WritesStepsAsProfilerStepsAndQuotesNames) {
  Event step = event(EventKind::Step, "ProfilerStep", 0, 100);
  step.number = 12;
  const json file = written(recording_of(
      {{1, 100, "main", {step, event(EventKind::Range, "a \"b\"\\\n", 10, 20, 0)}, 0}}));
  EXPECT_EQ(event_named(file, "ProfilerStep#12")["cat"], "user_annotation");
  EXPECT_EQ(event_named(file, "a \"b\"\\\n")["cat"], "user_annotation");
}

TEST(ChromeWriter, SaysInTheFileWhatWasLostAndWhatRecordingCost) {
  Recording recording = recording_of({{1, 100, "main", {operation("add", 0, 0, 0, 0)}, 5}});
  recording.cost = {51, 52, 53};
  const json metadata = written(recording)["metadata"];
  EXPECT_EQ(metadata["dropped"], 5);
  EXPECT_EQ(metadata["dropped_by_thread"][0]["tid"], 100);
  EXPECT_EQ(metadata["unfinished"], 1);
  EXPECT_EQ(metadata["cost_ns"]["operation"], 51);
  EXPECT_EQ(metadata["cost_ns"]["node"], 52);
  EXPECT_EQ(metadata["clock"], "CLOCK_MONOTONIC");
  EXPECT_EQ(metadata["clock_start"]["monotonic_ns"], 0);
  EXPECT_EQ(metadata["device_kind"], "cpu");
}

TEST(ChromeWriter, KeepsProcessIdsClearOfDeviceNumbers) {
  const json file = written(recording_of({{1, 100, "main", {operation("add", 1, 2, 0, 0)}, 0}}));
  const json name = event_named(file, "process_name", "M");
  EXPECT_GE(name["pid"], 64);
  EXPECT_EQ(name["args"]["true pid"], getpid());
  EXPECT_EQ(event_named(file, "add")["pid"], name["pid"]);
}

TEST(ChromeWriter, RefusesOtherNamesAndPlacesWhereNothingCanBeWritten) {
  const Recording recording = recording_of({});
  const TemporaryFile text(".txt");
  EXPECT_THROW(write(recording, text.path()), ValueError);
  EXPECT_THROW(write(recording, "/no/such/folder/trace.json"), FileError);
}

TEST(ChromeWriter, WritesAnEmptyRecording) {
  const TemporaryFile file(".json");
  write(recording_of({}), file.path());
  EXPECT_THAT(check_trace(file.path()).complaints, IsEmpty());
}

}  // namespace
}  // namespace notape::trace
