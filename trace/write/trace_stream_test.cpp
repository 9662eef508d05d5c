#include "trace/write/trace_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "autograd/tensor/factories.h"
#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "trace/reader/trace_reader.h"
#include "trace/record/range.h"
#include "trace/write/check_trace.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void train(int steps) {
  const Tensor w = ones({4, 4}, requires_grad());
  for (int i = 0; i < steps; ++i) {
    const Step step(static_cast<uint64_t>(i));
    w.mm(w).tanh().sum().backward();
  }
}

int count(const Json& file, std::string_view category) {
  int rows = 0;
  for (const auto& event : file["traceEvents"]) rows += event.value("cat", "") == category;
  return rows;
}

Json stream_of(const std::function<void()>& program, const std::string& path,
               const Recorder::Options& options = {}) {
  TraceStream stream(path, options);
  program();
  stream.finish();
  return Json::parse(read_file(path));
}

TEST(TraceStream, WritesTheSameRowsAsARecordingThatIsWrittenAtItsEnd) {
  const notape::testing::TemporaryFolder folder;
  for (const std::string name : {"a.json", "a.json.gz"}) {
    const Json file = stream_of([] { train(3); }, folder / name);
    const TraceCheck check = check_trace(folder / name);
    EXPECT_THAT(check.complaints, IsEmpty()) << name;
    // mm, tanh, sum and their nodes, which link to them; in two rows each.
    EXPECT_EQ(check.flows, 9U);
    EXPECT_EQ(count(file, "user_annotation"), 3);
    std::multiset<std::string> streamed, collected;
    for (const auto& event : file["traceEvents"])
      if (event["ph"] == "X") streamed.insert(event["name"]);
    Recorder::instance().start();
    train(3);
    const Timeline timeline = make_timeline(Recorder::instance().stop());
    for (const Slice& slice : timeline.slices)
      if (slice.kind == EventKind::Operator) collected.insert(slice.name);
    for (const std::string& operation : collected)
      EXPECT_EQ(streamed.count(operation), collected.count(operation)) << operation;
    EXPECT_EQ(file["metadata"]["order"], "end");
    EXPECT_EQ(file["metadata"]["dropped"], 0);
  }
  EXPECT_EQ(files_in(folder.path()), (std::vector<std::string>{"a.json", "a.json.gz"}));
}

TEST(TraceStream, GivesOperatorsAndNodesTheSameNumbers) {
  const notape::testing::TemporaryFolder folder;
  const Json file = stream_of(
      [] {
        const Tensor x = ones({4}, requires_grad());
        linear(x.view({1, 4}), ones({2, 4}, requires_grad())).sum().backward();
      },
      folder / "a.json");
  std::map<std::string, int64_t> numbers;
  for (const auto& event : file["traceEvents"])
    if (event.value("cat", "") == "cpu_op" && event["args"].contains("Sequence number"))
      numbers.emplace(event["name"], event["args"]["Sequence number"]);
  for (const auto& [operation, node] :
       {std::pair("sum", "SumBackward1"), std::pair("mm", "MmBackward0"),
        std::pair("view", "ViewBackward0")}) {
    ASSERT_TRUE(numbers.contains(operation) && numbers.contains(node)) << Json(numbers).dump();
    EXPECT_EQ(numbers[operation], numbers[node]) << node;
  }
  EXPECT_FALSE(numbers.contains("linear")) << "mm recorded its node";
  EXPECT_EQ(check_trace(folder / "a.json").flows, 3U);
}

TEST(TraceStream, HasShapesAndMemoryIfAskedTo) {
  const notape::testing::TemporaryFolder folder;
  Recorder::Options options;
  options.shapes = options.memory = true;
  const Tensor row = ones({3});
  const Json file = stream_of([&] { ones({2, 3}) + row; }, folder / "a.json", options);
  EXPECT_THAT(check_trace(folder / "a.json").complaints, IsEmpty());
  Json add, memory;
  for (const auto& event : file["traceEvents"]) {
    if (event["name"] == "add") add = event;
    if (event["name"] == "[memory]" && memory.is_null()) memory = event;
  }
  EXPECT_EQ(add["args"]["Input Dims"], Json::parse("[[2,3],[3]]"));
  EXPECT_EQ(add["args"]["Input type"], Json::parse(R"(["float","float"])"));
  EXPECT_EQ(memory["ph"], "i");
  EXPECT_EQ(memory["cat"], "cpu_instant_event");
  EXPECT_EQ(memory["args"]["Bytes"], 24);
  EXPECT_EQ(memory["args"]["Device Type"], 0);
  EXPECT_EQ(memory["args"]["Device Id"], -1);
  EXPECT_EQ(memory["args"]["Total Allocated"], 24);
}

TEST(TraceStream, LinksAcrossThreads) {
  const notape::testing::TemporaryFolder folder;
  std::set<int64_t> forward_threads;
  const Json file = stream_of(
      [&] {
        for (int i = 0; i < 20; ++i) {
          Tensor y;
          std::thread([&] {
            forward_threads.insert(gettid());
            y = ones({4}, requires_grad()).tanh();
          }).join();
          y.backward(ones({4}));
        }
      },
      folder / "a.json");
  const TraceCheck check = check_trace(folder / "a.json");
  EXPECT_THAT(check.complaints, IsEmpty());
  EXPECT_EQ(check.flows, 20U);
  std::set<int64_t> threads;
  for (const auto& event : file["traceEvents"])
    if (event["name"] == "TanhBackward0") threads.insert(event["args"].value("Fwd thread id", 0));
  EXPECT_EQ(threads, forward_threads);
}

/// What is written while the program runs needs no more room than a few ms of it.
TEST(TraceStream, RecordsMoreThanItHasRoomFor) {
  const notape::testing::TemporaryFolder folder;
  Recorder::Options small;
  small.events_per_thread = 2000;
  constexpr int kRounds = 20, kCalls = 500;
  const Json file = stream_of(
      [] {
        const Tensor a = ones({4});
        for (int round = 0; round < kRounds; ++round) {
          for (int i = 0; i < kCalls; ++i) a + a;
          const auto logs = Recorder::instance().logs();
          for (const auto& log : logs)
            while (log->is_of(Recorder::instance().session()) && log->begin() != log->end())
              std::this_thread::yield();
        }
      },
      folder / "a.json.gz", small);
  EXPECT_EQ(count(file, "cpu_op"), kRounds * kCalls);
  EXPECT_EQ(file["metadata"]["dropped"], 0);
}

TEST(TraceStream, CountsWhatWasTooFastForIt) {
  const notape::testing::TemporaryFolder folder;
  Recorder::Options tiny;
  tiny.events_per_thread = 3;
  const Json file = stream_of(
      [] {
        const Tensor a = ones({4});
        for (int i = 0; i < 1000; ++i) a + a;
      },
      folder / "a.json", tiny);
  const int written = count(file, "cpu_op");
  EXPECT_GE(written, 3);
  EXPECT_GT(file["metadata"]["dropped"], 0);
  EXPECT_EQ(written + file["metadata"]["dropped"].get<int>(), 1000);
  EXPECT_THAT(check_trace(folder / "a.json").complaints, IsEmpty());
}

TEST(TraceStream, SaysWhatWasStillRunning) {
  const notape::testing::TemporaryFolder folder;
  const Range cut("cut");
  TraceStream stream(folder / "a.json", {});
  const Range still("still");
  ones({4}) + 1;
  stream.finish();
  const Json file = Json::parse(read_file(folder / "a.json"));
  EXPECT_EQ(file["metadata"]["unfinished"], 1);
  EXPECT_THAT(check_trace(folder / "a.json").complaints, IsEmpty());
}

/// A child that is killed in the middle leaves what it had recorded until then.
TEST(TraceStream, OfAKilledProcessAllButTheLastMomentCanBeRead) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer follows no threads in forked processes";
#endif
  for (const std::string name : {"a.json", "a.json.gz"}) {
    const notape::testing::TemporaryFolder folder;
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      TraceStream stream(folder / name, {});
      for (int i = 0;; ++i) {
        train(1);
        if (i == 0 || i == 100) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        if (i == 110) static_cast<void>(!::write(ready[1], "x", 1));
      }
    }
    char word;
    ASSERT_EQ(::read(ready[0], &word, 1), 1);
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    close(ready[0]);
    close(ready[1]);
    EXPECT_FALSE(std::filesystem::exists(folder / name));
    const std::string partial = beside(folder / name, "partial-" + std::to_string(child));
    TraceReader reader(partial);
    int steps = 0;
    std::map<std::string, int> operators;
    while (const RawEvent* event = reader.next())
      if (event->phase == 'X')
        ++(event->category == "cpu_op" ? operators[std::string(event->name)] : steps);
    EXPECT_TRUE(reader.is_truncated());
    EXPECT_GE(steps, 100) << name;
    EXPECT_GE(operators["tanh"], steps);
    EXPECT_GE(operators["TanhBackward0"], steps);
  }
}

TEST(TraceStream, AFullDiskIsAnErrorAtTheEndAndLeavesNothing) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const notape::testing::TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "a.json");
  TraceStream stream(folder / "a.json", {});
  train(3);
  try {
    stream.finish();
    ADD_FAILURE() << "no error";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what_without_backtrace(), HasSubstr("cannot be written: No space left"));
  }
  EXPECT_FALSE(Recorder::instance().is_recording());
  EXPECT_EQ(active_observer.load(), nullptr);
  EXPECT_EQ(files_in(folder.path()), std::vector<std::string>{"a.json"});
}

TEST(TraceStream, RefusesWhatItCannotWriteBeforeItStarts) {
  EXPECT_THROW(TraceStream("trace.txt", {}), ValueError);
  EXPECT_THROW(TraceStream("/no/such/folder/a.json", {}), FileError);
  EXPECT_FALSE(Recorder::instance().is_recording());
}

TEST(TraceStream, AnInterruptedOneGoesBesideTheFile) {
  const notape::testing::TemporaryFolder folder;
  TraceStream stream(folder / "a.json.gz", {});
  train(2);
  stream.interrupt("SIGINT");
  stream.finish();
  EXPECT_TRUE(stream.has_ended());
  EXPECT_EQ(files_in(folder.path()), std::vector<std::string>{"a.interrupted.json.gz"});
  const Json file = Json::parse(read_file(folder / "a.interrupted.json.gz"));
  EXPECT_EQ(file["metadata"]["interrupted"], "SIGINT");
}

TEST(TraceStream, StepMarksIterations) {
  const notape::testing::TemporaryFolder folder;
  const Json file = stream_of(
      [] {
        for (int i = 0; i < 3; ++i) {
          step();
          ones({4}) + 1;
        }
      },
      folder / "a.json");
  const std::string text = file.dump();
  for (const char* name : {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"})
    EXPECT_THAT(text, HasSubstr(name));
  EXPECT_EQ(file["metadata"]["unfinished"], 1);  // the last one
}

TEST(Beside, PutsAWordBeforeTheEnding) {
  EXPECT_EQ(beside("a/b.json", "x"), "a/b.x.json");
  EXPECT_EQ(beside("a/b.c.json.gz", "x"), "a/b.c.x.json.gz");
  EXPECT_THROW(beside("a/b.svg", "x"), ValueError);
}

TEST(RecordedNodes, BelongToTheInnermostOperatorAndAreForgottenInTheEnd) {
  RecordedNodes nodes;
  EXPECT_EQ(nodes.claim(5, 5, 10), -1);
  EXPECT_EQ(nodes.claim(6, 7, 20), 6);  // of an inner operator
  EXPECT_EQ(nodes.claim(5, 8, 10), 5);  // 5 and 7
  EXPECT_EQ(nodes.begin_of(5), 10);
  EXPECT_EQ(nodes.begin_of(6), 20);
  EXPECT_EQ(nodes.begin_of(7), 10);
  EXPECT_EQ(nodes.begin_of(8), -1);
  for (uint64_t number = 8; number < 100'000; ++number)
    EXPECT_EQ(nodes.claim(number, number + 1, 1), static_cast<int64_t>(number));
  EXPECT_EQ(nodes.begin_of(99'000), 1);
  EXPECT_EQ(nodes.begin_of(5), -1);
  EXPECT_EQ(nodes.claim(100'000, 200'000, 2), 200'000 - (1 << 15));
}

}  // namespace
}  // namespace notape::trace
