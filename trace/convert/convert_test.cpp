#include "trace/convert/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MicroTrace;
using ::testing::Not;
using testing::TemporaryFile;
using testing::TextFile;
using testing::trace_of;

nlohmann::json converted(const std::string& text, const ConvertOptions& options = {}) {
  const TextFile from(text);
  const TemporaryFile to(".json");
  convert(from.path(), to.path(), options);
  return nlohmann::json::parse(read_file(to.path()));
}

std::vector<std::string> names(const nlohmann::json& trace, const char* phase) {
  std::vector<std::string> result;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == phase) result.push_back(event["name"]);
  return result;
}

constexpr const char* kOldDialect = R"(
    {"ph":"X","cat":"Operator","name":"enumerate(DataLoader)#x","pid":8,"tid":"14","ts":1610366387140599,
     "dur":5, "args":{"a":[1,
       2], "external id": 3, "b":"external id \"external id\" \n"}},
    {"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":8,"tid":"14","ts":1610366387140610,"dur":3,
     "args":{"correlation":6}},
    {"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":1610366387140620,"dur":4,
     "args":{"device":0,"stream":7,"correlation":6}},
    {"ph":"s","id":6,"pid":8,"tid":14,"ts":1610366387140610,"cat":"async","name":"launch"},
    {"ph":"s","id":5,"pid":8,"tid":14,"ts":1610366387140612,"cat":"async","name":"launch"},
    {"ph":"M","name":"process_name","pid":8,"tid":0,"args":{"name":"python"}})";

TEST(Convert, WritesTodaysDialect) {
  const auto trace = converted("{\"user\":\"me\",\"traceEvents\":[" + std::string(kOldDialect) +
                               "],\"distributedInfo\":{\"rank\":3,\"host\":\"mine\"}}");
  const auto& events = trace["traceEvents"];
  EXPECT_EQ(events[0]["ph"], "M") << "names come first";
  EXPECT_EQ(events[1], nlohmann::json::parse(R"({"ph":"X","name":"enumerate(DataLoader)#x",
      "cat":"user_annotation","pid":8,"tid":14,"ts":0.000,"dur":5.000,
      "args":{"a":[1,2],"External id":3,"b":"external id \"external id\" \n"}})"));
  EXPECT_EQ(events[2]["cat"], "cuda_runtime");
  EXPECT_EQ(events[2]["ts"], 11.0);
  EXPECT_EQ(events[3], nlohmann::json::parse(R"({"ph":"s","id":6,"pid":8,"tid":14,"ts":11.000,
      "cat":"ac2g","name":"ac2g"})"))
      << "complete flows, right behind their slices";
  EXPECT_EQ(events[4]["tid"], 7);
  EXPECT_EQ(events[5]["ph"], "f");
  EXPECT_EQ(trace["baseTimeNanoseconds"], 1'610'366'387'140'599'000);
  EXPECT_EQ(trace["distributedInfo"], nlohmann::json::parse(R"({"rank":3})"));
  EXPECT_FALSE(trace.contains("user"));
  ConvertOptions keep;
  keep.keep_metadata = true;
  EXPECT_EQ(converted("{\"user\":\"me\",\"traceEvents\":[]}", keep)["user"], "me");
}

// Kineto ends its files with one, and Chrome's viewer refuses events without a process.
TEST(Convert, KeepsAnInstantOfNoProcessAsOneOfAll) {
  const std::string text = testing::trace_of(
      R"({"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"","ts":7},
         {"name":"here","ph":"i","s":"t","pid":1,"tid":2,"ts":8})");
  const nlohmann::json trace = converted(text);
  const nlohmann::json &end = trace["traceEvents"][0], &here = trace["traceEvents"][1];
  EXPECT_EQ(end["pid"], "");
  EXPECT_EQ(end["tid"], "");
  EXPECT_EQ(end["s"], "g");
  EXPECT_EQ(here["pid"], 1);
  EXPECT_EQ(here["s"], "t");
}

TEST(Convert, TimesCountFromWhatStartUsCountsFrom) {
  const std::string rows = R"(
    {"ph":"M","name":"process_name","pid":8,"tid":0,"ts":10,"args":{"name":"python"}},
    {"ph":"X","name":"PyTorch Profiler","cat":"Trace","pid":"Spans","tid":"x","ts":10,"dur":90},
    {"ph":"i","name":"Iteration Start","pid":"Traces","tid":"x","ts":10,"s":"t"},
    {"ph":"X","name":"f","cat":"python_function","pid":8,"tid":1,"ts":30,"dur":5},
    {"ph":"X","name":"a","cat":"cpu_op","pid":8,"tid":1,"ts":40,"dur":5},
    {"ph":"X","name":"cudaFree","cat":"cuda_runtime","pid":8,"tid":1,"ts":41,"dur":2})";
  const nlohmann::json trace = converted("{\"traceEvents\":[" + rows + "]}");
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      EXPECT_FALSE(event.contains("ts")) << "names have no time";
      continue;
    }
    const double expected = event["name"] == "a" ? 10 : event["name"] == "cudaFree" ? 11 : 0;
    EXPECT_EQ(event["ts"], expected) << event;
    if (event["name"] == "PyTorch Profiler") {
      EXPECT_EQ(event["dur"], 70.0) << "it ends where it did";
    }
  }
  const TextFile file(trace_of(rows));
  const TraceModel model = load_model(file.path());
  EXPECT_EQ(model.time.begin - model.origin, 10'000);
}

TEST(Convert, PutsEveryEventOnALineWithABlankBeforeTheRank) {
  const TextFile from(trace_of(kOldDialect));
  const TemporaryFile to(".json");
  convert(from.path(), to.path(), {});
  const std::string text = read_file(to.path());
  EXPECT_THAT(text, HasSubstr("\n\"distributedInfo\": {\"rank\": 0},\n"));
  const auto trace = nlohmann::json::parse(text);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(lines, trace["traceEvents"].size() + 5);
}

TEST(Convert, AddsCountersOfQueuesAndMemory) {
  MicroTrace micro =
      MicroTrace().launch(1'000, 500, 1).kernel(3'000, 2'000, 1).launch(3'000, 500, 2);
  micro.kernel(6'000, 0, 2).memory(2'000, 512, 1'024, 4'096).memory(2'500, 8, 8, 0, 0);
  const auto trace = converted(micro.json());
  std::vector<std::string> seen;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "C")
      seen.push_back(event["name"].get<std::string>() + " " + event["ts"].dump() + " " +
                     event["args"].dump());
  EXPECT_THAT(seen, ElementsAre(R"(queue_length device 0 stream 7 0.0 {"inflight":1,"queued":1})",
                                R"(queue_length device 0 stream 7 2.0 {"inflight":2,"queued":1})",
                                R"(queue_length device 0 stream 7 4.0 {"inflight":1,"queued":1})",
                                R"(queue_length device 0 stream 7 5.0 {"inflight":0,"queued":0})",
                                R"(gpu_memory device 0 1.0 {"allocated":1024,"reserved":4096})"));
}

TEST(Convert, AConvertedTraceIsItsOwnConversion) {
  const TextFile from(testing::three_steps().json());
  const TemporaryFile once(".json.gz"), twice(".json");
  convert(from.path(), once.path(), {});
  convert(once.path(), twice.path(), {});
  const auto events = [](const std::string& path) {
    return nlohmann::json::parse(read_file(path))["traceEvents"];
  };
  EXPECT_EQ(events(once.path()), events(twice.path()));
}

TEST(Convert, FiltersByCategoryAndStep) {
  const std::string text = testing::three_steps().json();
  ConvertOptions options;
  options.categories = {"kernel"};
  EXPECT_THAT(names(converted(text, options), "X"), ElementsAre("k", "k", "k"));
  EXPECT_THAT(names(converted(text, options), "s"), ElementsAre());
  options.categories = {"Kernel"};
  EXPECT_THROW(converted(text, options), ValueError);
  options = {};
  options.first_step = options.last_step = 2;
  const auto one = converted(text, options);
  EXPECT_THAT(names(one, "X"), ElementsAre("ProfilerStep#2", "aten::mul", "cudaLaunchKernel", "k"));
  EXPECT_THAT(names(one, "s"), ElementsAre("ac2g"));
  EXPECT_THAT(names(one, "f"), ElementsAre("ac2g"));
}

TEST(Convert, AKernelBelongsToTheStepThatLaunchesIt) {
  MicroTrace trace;
  trace.step(0, 0, 100).launch(20, 10, 1).kernel(150, 10, 1).step(1, 100, 100);
  ConvertOptions options;
  options.first_step = options.last_step = 0;
  EXPECT_THAT(names(converted(trace.json(), options), "X"),
              ElementsAre("ProfilerStep#0", "cudaLaunchKernel", "k"));
  options.first_step = options.last_step = 1;
  EXPECT_THAT(names(converted(trace.json(), options), "X"), ElementsAre("ProfilerStep#1"));
}

TEST(Convert, KeepsUnknownEventsAndCountsWhatItLeavesOut) {
  const TextFile from(trace_of(R"(
      {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5.5,"dur":1,"args":{"x":NaN}},
      {"ph":"X","cat":"mystery","name":"m","pid":"Spans","tid":1,"ts":6,"dur":1},
      {"ph":"b","cat":"x","name":"n","id":"0xf","pid":1,"tid":1,"ts":7},
      {"ph":"X","cat":"cpu_op","name":"bad","pid":1,"tid":1,"ts":null,"dur":1},
      {"ph":"s","id":1,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":6},
      {"ph":"s","id":2,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":6},
      {"ph":"f","id":2,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":7})"));
  const TemporaryFile to(".json");
  const Converted result = convert(from.path(), to.path(), {});
  EXPECT_EQ(result.read, 7u);
  EXPECT_EQ(result.without_time, 1u);
  EXPECT_EQ(result.bad_arguments, 1u);
  const auto trace = nlohmann::json::parse(read_file(to.path()));
  EXPECT_THAT(names(trace, "X"), ElementsAre("a", "m"));
  EXPECT_EQ(trace["traceEvents"][1]["pid"], "Spans");
  EXPECT_EQ(trace["traceEvents"][2]["id"], "0xf");
  EXPECT_THAT(names(trace, "s"), ElementsAre("fwdbwd")) << "complete pairs";
}

TEST(Convert, KeepsEveryArgumentThatJsonCanSpell) {
  const auto arguments_of = [](const std::string& arguments, Converted* result) {
    const TextFile from(trace_of(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,)"
                                 R"("dur":1,"args":)" +
                                 arguments + "}"));
    const TemporaryFile to(".json");
    *result = convert(from.path(), to.path(), {});
    return nlohmann::json::parse(read_file(to.path()))["traceEvents"][0]["args"].dump();
  };
  struct Case {
    const char *written, *kept;
    std::vector<std::string> lost;
  };
  const Case cases[] = {
      {R"({"correlation":5,"bandwidth":inf,"stream":7})",
       R"({"correlation":5,"stream":7})",
       {R"("bandwidth": inf of k)"}},
      {R"({"a":nan,"b":NaN,"c":-Infinity,"d":1})",
       R"({"d":1})",
       {R"("a": nan of k)", R"("b": NaN of k)", R"("c": -Infinity of k)"}},
      {R"({"a":1e999,"b":-1e999,"d":[1,inf],"e":1})",
       R"({"e":1})",
       {R"("a": 1e999 of k)", R"("b": -1e999 of k)", R"("d": [1,inf] of k)"}},
      {R"({"a":.5,"b":+1,"correlation":007,"d":5.,"e":-.5e2,"f":00})",
       R"({"a":0.5,"b":1,"correlation":7,"d":5,"e":-50.0,"f":0})",
       {}},
      {"{\"a\":\"x\ty\",\"b\xff\":\"\xff\"}", R"({"a":"x\ty","b\\xff":"\\xff"})", {}},
      {R"({"a":1,"b":[2,{"c":null}],})", R"({"a":1,"b":[2,{"c":null}]})", {}},
      {R"({"a":x,"b":-,"c":+,"d":.,"e":1})",
       R"({"e":1})",
       {R"("a": x of k)", R"("b": - of k)", R"("c": + of k)", R"("d": . of k)"}},
      {"[inf]", "{}", {R"("args": [inf] of k)"}},
      {"{\"a\":[1,\"x\ty\",{\"b\nc\":\"\\x1b\"}]}", R"({"a":[1,"x\ty",{"b\nc":"\\x1b"}]})", {}},
      {R"({"a":"external id","external id" : 3})", R"({"External id":3,"a":"external id"})", {}},
      {"{}", "{}", {}},
  };
  for (const Case& one : cases) {
    Converted result;
    EXPECT_EQ(arguments_of(one.written, &result), one.kept) << one.written;
    EXPECT_EQ(result.examples, one.lost) << one.written;
    EXPECT_EQ(result.lost_arguments, one.lost.size());
    EXPECT_EQ(result.bad_arguments, one.lost.empty() ? 0u : 1u);
  }
}

TEST(Convert, KernelsWhoseArgumentsAreNoJsonKeepTheirFigures) {
  MicroTrace odd = testing::three_steps();
  for (int64_t i = 0; i < 3; ++i)
    odd.launch(200'000 + 40'000 * i, 10, i + 7)
        .kernel(210'000 + 40'000 * i, 5'000, i + 7, R"("bandwidth":inf)");
  const TextFile from(odd.json());
  const TemporaryFile to(".json");
  convert(from.path(), to.path(), {});
  EXPECT_EQ(testing::shown(queue(Scope(load_model(to.path()), {})), "launch_delay.max"),
            testing::shown(queue(Scope(load_model(from.path()), {})), "launch_delay.max"));
  EXPECT_EQ(load_model(to.path()).launched.size(), 6u);
}

TEST(Convert, WhatTheQuestionsExcludeIsLeftOutAndStaysKnown) {
  MicroTrace trace = testing::three_steps();
  for (const char* time : {R"("ts":30,"dur":-1)", R"("ts":30,"dur":9e12)", R"("ts":0,"dur":0)",
                           R"("ts":30)", R"("ts":1712195495519695,"dur":1)"})
    trace.raw(std::string(R"({"ph":"X","cat":"kernel","name":"bad","pid":0,"tid":7,"args":{},)") +
              time + "}");
  std::string text = trace.json();
  text.resize(text.size() - 2);  // cut off
  const TextFile from(text);
  const TemporaryFile once(".json"), twice(".json");
  const Converted result = convert(from.path(), once.path(), {});
  EXPECT_EQ(result.without_time, 5u);
  EXPECT_THAT(names(nlohmann::json::parse(read_file(once.path())), "X"),
              ::testing::Not(::testing::Contains("bad")));
  convert(once.path(), twice.path(), {});
  for (const std::string& path : {from.path(), once.path(), twice.path()}) {
    const TraceModel model = load_model(path);
    EXPECT_EQ(model.counts.bad_time, 5u) << path;
    EXPECT_TRUE(model.is_truncated);
    EXPECT_FALSE(idle(Scope(model, {}))["idle.busy"].is_reliable());
  }
}

TEST(Convert, OfSeveralProcessesNothingIsMixed) {
  MicroTrace trace;
  for (const int64_t shift : {0, 37'000}) {
    MicroTrace rank;
    rank.in_process(shift ? "20" : "10").on_stream(7, shift ? 1 : 0);
    for (int64_t i = 0; i < 2; ++i)
      rank.step(i, 90'000 * i + 9'000, 60'000)
          .op("a", 90'000 * i + 10'000, 8'000)
          .launch(90'000 * i + 12'000, 4'500, i + 1)
          .kernel(90'000 * i + 19'000, 20'250, i + 1);
    rank.transformed(1, shift);
    for (const char* phase : {"s", "f"})
      rank.raw(std::string(R"({"ph":")") + phase +
               R"(","id":1,"cat":"fwdbwd","name":"fwdbwd","pid":)" + (shift ? "20" : "10") +
               R"(,"tid":1,"ts":20,"bp":"e"})");
    trace.with(rank);
  }
  const TextFile from(trace.json());
  const TemporaryFile to(".json");
  convert(from.path(), to.path(), {});
  const auto written = nlohmann::json::parse(read_file(to.path()));
  std::map<std::string, std::vector<std::string>> flows;  // by category and id
  std::set<std::string> counters;
  for (const auto& event : written["traceEvents"]) {
    if (event["ph"] == "s" || event["ph"] == "f")
      flows[event["cat"].get<std::string>() + event["id"].dump()].push_back(event["pid"].dump());
    if (event["ph"] == "C") counters.insert(event["name"]);
  }
  EXPECT_EQ(flows.size(), 6u) << "a flow for each launch and each pair";
  for (const auto& [id, ends] : flows) EXPECT_EQ(ends.size(), 2u) << id;
  EXPECT_THAT(counters, ElementsAre("queue_length device 0 stream 7 process 10",
                                    "queue_length device 1 stream 7 process 20"));
  const TraceModel before = load_model(from.path()), after = load_model(to.path());
  for (const std::size_t process : {0, 1})
    EXPECT_EQ(testing::shown(idle(Scope(of_process(after, process), {})), "idle.host_wait"),
              testing::shown(idle(Scope(of_process(before, process), {})), "idle.host_wait"));
  ConvertOptions options;
  options.process = 1;
  options.first_step = 1;
  EXPECT_THAT(names(converted(trace.json(), options), "X"),
              ElementsAre("ProfilerStep#1", "a", "cudaLaunchKernel", "k"));
}

TEST(Convert, OfOneProcessNoGpuRowOfAnotherIsLeft) {
  MicroTrace trace;
  for (const int64_t rank : {0, 1})
    trace.in_process(rank ? "20" : "10")
        .on_stream(7, rank)
        .op("a", 10'000, 8'000)
        .launch(12'000, 4'500, rank + 1)
        .kernel(19'000, 20'250, rank + 1)
        .sync_row(rank ? "of 20" : "of 10", 12'000, 5'000, 8)
        .raw(R"({"ph":"X","cat":"gpu_user_annotation","name":"r","tid":7,"ts":19,"dur":2,"pid":)" +
             std::to_string(rank) + "}");
  ConvertOptions options;
  options.process = 1;
  EXPECT_THAT(names(converted(trace.json(), options), "X"),
              ElementsAre("a", "cudaLaunchKernel", "k", "of 20", "r"));
}

TEST(Convert, AGuessStaysOneInTheFileOfOneProcess) {
  MicroTrace trace;
  for (const char* process : {"10", "20"})
    trace.in_process(process, "0").launch(12'000, 4'500, 1).kernel(19'000, 20'250, 1);
  const TextFile from(trace.json());
  const TemporaryFile of_one(".json"), again(".json");
  ConvertOptions options;
  options.process = 0;
  convert(from.path(), of_one.path(), options);
  convert(of_one.path(), again.path(), {});
  EXPECT_EQ(load_model(of_one.path()).counts.ambiguous_owners, 2u);
  EXPECT_EQ(load_model(again.path()).counts.ambiguous_owners, 2u);
}

TEST(Convert, APhaseThatIsNoneIsLeftOut) {
  for (const char* phase : {"", R"("ph":"",)", R"("ph":"BE",)", "\"ph\":\"\1\",", R"("ph":"\\",)"})
    EXPECT_EQ(converted(trace_of(std::string("{") + phase +
                                 R"("cat":"cpu_op","name":"a","ts":5})"))["traceEvents"][0]["name"],
              "a")
        << phase;
}

TEST(Convert, RefusesOtherNamesAndLeavesNothingBehind) {
  const TextFile from(testing::three_steps().json());
  EXPECT_THROW(convert(from.path(), "x.txt", {}), ValueError);
  EXPECT_THROW(convert(from.path(), "/no/such/folder/x.json", {}), FileError);
  const TemporaryFile to(".json");
  EXPECT_THROW(convert("/no/such/file.json", to.path(), {}), FileError);
  EXPECT_THROW(read_file(to.path()), FileError) << "there is no such file";
}

TEST(Convert, ChangesNoFigureOfAPublicTrace) {
  for (const char* name :
       {"kineto_resnet50_first6_w0", "hta_resnet_ns_v100", "hta_alexnet_malloc_a100",
        "tracelens_h100_bert_small", "hta_cpu_only"}) {
    const std::string path = testing::public_trace(name);
    if (path.empty()) GTEST_SKIP() << testing::no_public_trace(name);
    const TemporaryFile to(".json");
    convert(path, to.path(), {});
    const auto figures = [](const TraceModel& model) {
      std::string text = testing::all_reports(model);
      // What it counts in the file itself may differ: counters are added, containers are none.
      std::string kept;
      for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
        end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        if (!line.starts_with("check.")) kept += line + '\n';
      }
      return kept;
    };
    EXPECT_EQ(figures(load_model(to.path())), figures(load_model(path))) << name;
  }
}

}  // namespace
}  // namespace notape::trace
