// notape trace QUESTION FILE, as a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "paper_examples/testing/command.h"
#include "trace/write/output_file.h"

namespace notape::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TraceCommand : public CommandTest {
 protected:
  TraceCommand() {
    write("three.json", three_steps(0));
    write("slower.json", three_steps(1));
  }

  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }

  /// Three steps of an op, its launch `delay` us later than in the first place, and its kernel.
  static std::string three_steps(int delay) {
    std::string text = "{\"traceEvents\":[";
    for (int i = 0; i < 3; ++i) {
      const auto slice = [&](const char* category, const std::string& name, int tid, double begin,
                             double length, const std::string& arguments) {
        text += std::string(text.back() == '[' ? "" : ",\n") + R"({"ph":"X","cat":")" + category +
                R"(","name":")" + name + R"(","pid":)" + (tid == 7 ? "0" : "4242") + R"(,"tid":)" +
                std::to_string(tid) + R"(,"ts":)" + std::to_string(40 * i + begin) + R"(,"dur":)" +
                std::to_string(length) + R"(,"args":{)" + arguments + "}}";
      };
      const std::string link = R"("correlation":)" + std::to_string(100 + i);
      slice("user_annotation", "ProfilerStep#" + std::to_string(i), 1, 9, 30.5, "");
      slice("cpu_op", "aten::mul", 1, 10, 8, R"("External id":1)");
      slice("cuda_runtime", "cudaLaunchKernel", 1, 12 + delay, 4.5, link);
      slice("kernel", "k", 7, 19, 20.25, R"("device":0,"stream":7,)" + link);
    }
    return text + "]}";
  }
};

TEST_F(TraceCommand, AnswersEachQuestionInEachFormat) {
  for (const char* question :
       {"check", "dispatch", "overlap", "idle", "queue", "alloc", "fig1", "fig2", "steps"}) {
    const std::string words = std::string("trace ") + question + " three.json";
    const Outcome table = run(words);
    EXPECT_EQ(table.status, 0) << table.error;
    EXPECT_THAT(table.out, HasSubstr("not reliable because")) << question;
    const Outcome json = run(words + " --format json");
    EXPECT_EQ(json.status, 0) << json.error;
    const auto report = nlohmann::json::parse(json.out);
    ASSERT_FALSE(report["metrics"].empty()) << question;
    for (const char* key :
         {"metric", "value", "unit", "n", "window", "clock", "excluded", "reliable", "reason"})
      EXPECT_TRUE(report["metrics"][0].contains(key)) << key;
    EXPECT_THAT(run(words + " --format csv").out, HasSubstr("metric,value,unit,n,window"));
    const Outcome help = run(std::string("trace ") + question + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, HasSubstr("--format"));
  }
  EXPECT_THAT(run("trace idle three.json").out, HasSubstr("34.500"));
  EXPECT_EQ(run("overlap three.json").out, run("trace overlap three.json").out);
}

TEST_F(TraceCommand, LooksAtOneStepOrSeveral) {
  const auto window = [&](const char* step) {
    const Outcome outcome = run(std::string("trace idle three.json --format json --step ") + step);
    return nlohmann::json::parse(outcome.out)["metrics"][0]["value"].get<double>();
  };
  EXPECT_EQ(window("1"), 20.25);
  EXPECT_EQ(window("0-1"), 60.25);
}

TEST_F(TraceCommand, AnswersForEachProcessOfAFile) {
  const std::string first = three_steps(0);
  std::string second = three_steps(1);
  for (std::size_t at = 0; (at = second.find("\"pid\":4242", at)) != std::string::npos;)
    second.replace(at, 10, "\"pid\":5000");
  for (std::size_t at = 0; (at = second.find("\"device\":0", at)) != std::string::npos;)
    second.replace(at, 10, "\"device\":1");
  for (std::size_t at = 0; (at = second.find("\"pid\":0", at)) != std::string::npos;)
    second.replace(at, 7, "\"pid\":1");
  write(
      "two.json",
      first.substr(0, first.size() - 2) + ",\n" +
          R"({"ph":"M","name":"process_name","pid":5000,"tid":0,"args":{"name":"RANK 1 - CPU"}},)" +
          R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"RANK 1 - GPU"}},)" +
          second.substr(second.find('[') + 1));
  const auto values = [&](const std::string& words) {
    std::vector<double> result;
    const Outcome outcome = run("trace queue two.json --format json " + words);
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    const auto report = nlohmann::json::parse(outcome.out);
    for (const auto& metric : report["metrics"])
      if (metric["metric"] == "launch_delay.p50") result.push_back(metric["value"]);
    return result;
  };
  EXPECT_EQ(values(""), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(values("--process 5000"), std::vector<double>{1.5});
  EXPECT_EQ(values("--process 4242"), std::vector<double>{2.5});
  EXPECT_EQ(values("--rank 1"), std::vector<double>{1.5});
  EXPECT_THAT(run("trace check two.json").out, HasSubstr("2 processes"));
  EXPECT_THAT(run("trace idle two.json --process 7").error, HasSubstr("5000 (rank 1), 4242"));
  EXPECT_THAT(run("trace idle two.json --rank 7").error, HasSubstr("calls no process rank 7"));
  EXPECT_THAT(run("trace fig2 two.json -o x.svg").error, HasSubstr("a picture is of one process"));
  EXPECT_EQ(run("trace fig2 two.json -o x.svg --rank 1").status, 0);
  EXPECT_EQ(run("trace convert two.json -o one.json --rank 1").status, 0);
  EXPECT_THAT(run("trace queue one.json").out, HasSubstr("device 1"));
  EXPECT_THAT(run("trace queue one.json").out, Not(HasSubstr("device 0")));
}

TEST_F(TraceCommand, ConvertSaysWhichArgumentsItLeavesOut) {
  write("inf.json", R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,)"
                    R"("ts":1,"dur":2,"args":{"correlation":3,"x":inf}}]})");
  const Outcome outcome = run("trace convert inf.json -o out.json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.error, HasSubstr("left out: 1 arguments of 1 events"));
  EXPECT_THAT(outcome.error, HasSubstr("\"x\": inf of k"));
  EXPECT_THAT(trace::read_file(path("out.json")), HasSubstr("\"correlation\":3"));
}

TEST_F(TraceCommand, RefusesInOneLine) {
  write("cut.gz.json", "\x1f\x8b\x08");
  write("binary.json", std::string("\x7f"
                                   "ELF\0\1\2",
                                   7));
  write("empty.json", "");
  write("host.json", R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,)"
                     R"("ts":1,"dur":2,"args":{}}]})");
  const std::pair<const char*, const char*> cases[] = {
      {"trace idle none.json", "none.json cannot be read"},
      {"trace idle", "FILE"},
      {"trace nonsense three.json", "notape trace"},
      {"trace check binary.json", "binary.json is not a trace"},
      {"trace check empty.json", "empty.json is not a trace: it is empty"},
      {"trace check cut.gz.json", "cut.gz.json is not a trace"},
      {"trace check three.json --format xml", "--format"},
      {"trace idle three.json --step 7", "three.json has no step 7: its steps are 0 to 2"},
      {"trace idle three.json --step x", "--step x: no step"},
      {"trace idle three.json --step 2-1", "--step 2-1: no step"},
      {"trace idle three.json --device 3", "three.json has no ops of device 3"},
      {"trace idle three.json --tau -1", "--tau"},
      {"trace idle three.json --step-regex '('", "is no regular expression"},
      {"trace fig1 three.json --from conv", "is named like 'conv'"},
      {"trace diff three.json", "OTHER"},
      {"trace diff three.json slower.json --gate x", "gate 'x'"},
      {"trace diff three.json slower.json --gate 'x<=1'", "there is no metric 'x'"},
      {"trace convert three.json -o x.txt", "ends in .json or .json.gz"},
      {"trace convert three.json -o x.json --category none", "no events of category 'none'"},
      {"overlap none.json", "none.json cannot be read"},
      {"trace nonsense three.json", "there is no 'nonsense'; there are record, check"},
      {"trace chek three.json", "there is no 'chek'; did you mean 'check'?"},
      {"trace step three.json", "there is no 'step'; did you mean 'steps'?"},
      {"trace check three.json --step 1", "--step: check is about all steps of the file"},
      {"trace fig2 three.json --step 1", "--step: fig2 is about all steps of the file"},
      {"trace dispatch three.json --device 0", "--device: dispatch does not tell GPUs apart"},
      {"trace alloc three.json --stream 7", "--stream: alloc does not tell streams apart"},
      {"trace steps three.json --compat hta", "--compat: steps has no figure of other tools"},
      {"trace report three.json --step 9", "three.json has no step 9"},
      {"trace report three.json --device 9", "three.json has no ops of device 9"},
      {"trace fig1 host.json -o x.svg", "no picture x.svg: host.json has nothing to show"},
      {"trace fig2 host.json -o x.svg", "no picture x.svg: host.json has nothing to show"},
  };
  for (const auto& [words, complaint] : cases) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_THAT(outcome.error, HasSubstr(complaint)) << words;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  }
  EXPECT_FALSE(std::filesystem::exists(path("x.json")));
  EXPECT_FALSE(std::filesystem::exists(path("x.svg")));
}

TEST_F(TraceCommand, AFailedGateIsStatusOne) {
  const std::string words = "trace diff three.json slower.json --gate ";
  const Outcome held = run(words + "'dispatch.p50<=+50%'");
  EXPECT_EQ(held.status, 0) << held.error;
  EXPECT_THAT(held.out, HasSubstr("gate holds: dispatch.p50<=+50%"));
  const Outcome failed = run(words + "'dispatch.p50<=+5%' --gate 'idle.total<=+5%'");
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.error, "gate fails: dispatch.p50<=+5%: 3.000 us is above 2.100; it was 2.000\n");
  EXPECT_THAT(failed.out, HasSubstr("medians across steps"));
}

TEST_F(TraceCommand, AnomaliesAreStatusThreeIfAsked) {
  EXPECT_EQ(run("trace check three.json --strict").status, 0);
  std::string text = three_steps(0);
  text.resize(text.size() - 30);
  write("cut.json", text);
  const Outcome lenient = run("trace idle cut.json");
  EXPECT_EQ(lenient.status, 0);
  EXPECT_EQ(lenient.error,
            "warning: cut.json ends in the middle; read up to its last complete event\n");
  EXPECT_THAT(lenient.out, HasSubstr("truncated file"));
  const Outcome strict = run("trace idle cut.json --strict");
  EXPECT_EQ(strict.status, 3);
  EXPECT_THAT(strict.error, HasSubstr("the file ends in the middle"));
  EXPECT_EQ(strict.out, lenient.out);
}

TEST_F(TraceCommand, DrawsTheFigures) {
  const Outcome first = run("trace fig1 three.json --step 1 -o 1.svg");
  EXPECT_EQ(first.status, 0) << first.error;
  EXPECT_THAT(first.out, HasSubstr("written: 1.svg"));
  EXPECT_THAT(trace::read_file(path("1.svg")), HasSubstr("<title>aten::mul"));
  EXPECT_EQ(run("trace fig2 three.json -o 2.svg --format json").status, 0);
  EXPECT_THAT(trace::read_file(path("2.svg")), HasSubstr("</svg>"));
  EXPECT_THAT(run("trace fig1 three.json -o 3.png").error, HasSubstr("ends in .svg"));
  EXPECT_FALSE(std::filesystem::exists(path("3.png")));
}

TEST_F(TraceCommand, ReportsOnOnePage) {
  const Outcome printed = run("trace report three.json");
  EXPECT_EQ(printed.status, 0) << printed.error;
  const Outcome written = run("trace report three.json --out page");
  EXPECT_EQ(written.status, 0) << written.error;
  EXPECT_EQ(written.out, "written: page/index.html and summary.md\n");
  EXPECT_EQ(trace::read_file(path("page/summary.md")), printed.out);
  EXPECT_THAT(trace::read_file(path("page/index.html")), HasSubstr("three.json"));
  EXPECT_EQ(run("trace report three.json --out three.json").status, 2);
  EXPECT_EQ(run("trace report none.json --out other").status, 2);
  EXPECT_FALSE(std::filesystem::exists(path("other")));
}

TEST_F(TraceCommand, ConvertsAndReadsOwnRecordings) {
  const Outcome converted = run("trace convert three.json -o new.json.gz --step 1");
  EXPECT_EQ(converted.status, 0) << converted.error;
  EXPECT_THAT(converted.out, HasSubstr("12 events read"));
  EXPECT_THAT(run("trace idle new.json.gz").out, HasSubstr("20.250"));
  ASSERT_EQ(run("trace record fig1 --steps 3 -o own.json").status, 0);
  const Outcome own = run("trace check own.json --strict");
  EXPECT_EQ(own.status, 0) << own.error;
  const Outcome dispatch = run("trace dispatch own.json --format json");
  const auto report = nlohmann::json::parse(dispatch.out);
  for (const auto& metric : report["metrics"])
    if (metric["metric"] == "dispatch.host_self.p50") {
      EXPECT_GT(metric["n"], 60);
    }
  EXPECT_THAT(run("trace overlap own.json").out, HasSubstr("no GPU rows"));
}

/// The program joins the emulated GPU's clock when it uses it first. Its launches are its own.
TEST_F(TraceCommand, RecordsAProgramOnTheEmulatedGpuWhoseFiguresNobodyBelieves) {
  const Outcome recorded =
      shell("printf 'steps 2\\nsteps 3\\n' | NOTAPE_CUDA=emulated " NOTAPE_COMMAND
            " trace record -o gpu.json.gz -- " NOTAPE_COMMAND " bench step ncf tiny 4 cuda 1");
  if (recorded.error.find("not available") != std::string::npos) GTEST_SKIP() << recorded.error;
  EXPECT_EQ(recorded.status, 0) << recorded.error;
  const Outcome checked = run("trace check gpu.json.gz --strict");
  EXPECT_EQ(checked.status, 0) << checked.error;
  EXPECT_THAT(checked.out, HasSubstr("the device is emulated"));
  for (const char* question : {"idle", "queue", "overlap", "fig1"}) {
    const Outcome answer = run(std::string("trace ") + question + " gpu.json.gz --format json");
    const auto metrics = nlohmann::json::parse(answer.out)["metrics"];
    ASSERT_FALSE(metrics.empty()) << question;
    for (const auto& metric : metrics) {
      EXPECT_EQ(metric["reliable"], false) << metric;
      EXPECT_THAT(metric["reason"].get<std::string>(), HasSubstr("emulated: stated costs"))
          << metric;
    }
  }
  const Outcome refused = run("trace record fig1 --device cuda");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("record: 'fig1' takes no --device"));
}

TEST_F(TraceCommand, WithoutCuptiRecordsTheCpuAndSaysSoInOneLine) {
  const Outcome recorded = run("trace record fig1 --gpu cuda -o cpu.json");
  EXPECT_EQ(recorded.status, 0) << recorded.error;
  EXPECT_THAT(recorded.out, HasSubstr("GPU: CUPTI is "));
  if (recorded.out.find("CUPTI is used") != std::string::npos) GTEST_SKIP() << "there is a GPU";
  EXPECT_THAT(recorded.out, HasSubstr("not used: "));
  EXPECT_THAT(recorded.out, HasSubstr("; rows of the CPU alone\n"));
  const auto metadata = nlohmann::json::parse(trace::read_file(path("cpu.json")))["metadata"];
  EXPECT_EQ(metadata["device_kind"], "cpu");
  EXPECT_THAT(metadata["cupti"].get<std::string>(), HasSubstr("not used: "));
  EXPECT_EQ(run("trace record fig1 --gpu none -o cpu.json").status, 2);
}

TEST_F(TraceCommand, ListsTheSlowestSteps) {
  EXPECT_THAT(run("trace steps three.json --top 1").out,
              HasSubstr("note: the 1 slowest of 3 steps are listed; --top lists more"));
  const Outcome one = run("trace steps three.json --step 2 --format json");
  EXPECT_EQ(one.status, 0) << one.error;
  const auto table = nlohmann::json::parse(one.out)["tables"][0];
  EXPECT_EQ(table["name"], "slowest steps");
  ASSERT_EQ(table["rows"].size(), 1u);
  EXPECT_EQ(table["rows"][0][0], "ProfilerStep#2");
  EXPECT_THAT(run("trace report three.json --step 2").out, HasSubstr("three.json: ProfilerStep#2"));
}

TEST_F(TraceCommand, ARecordingThatLostEventsSaysHowMuchRoomIsEnough) {
  const Outcome lost = run("trace record fig1 --events 5 -o lost.json");
  EXPECT_EQ(lost.status, 0);
  const std::size_t place = lost.error.find("--events ");
  ASSERT_NE(place, std::string::npos) << lost.error;
  const std::string enough = lost.error.substr(place, lost.error.find(" has room") - place);
  EXPECT_EQ(run("trace record fig1 " + enough + " -o all.json").error, "");
}

}  // namespace
}  // namespace notape::command
