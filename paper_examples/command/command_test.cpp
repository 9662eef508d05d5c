// Runs the built program, as a user does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ops/cpu/blas_description.h"
#include "paper_examples/examples.h"
#include "paper_examples/testing/command.h"
#include "trace/write/check_trace.h"
#include "trace/write/output_file.h"

namespace notape {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Command : CommandTest {
  void expect_refused(const std::string& arguments, const std::string& word) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.error_lines(), 1) << arguments << ": " << outcome.error;
    EXPECT_THAT(outcome.error, HasSubstr(word)) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  }
};

TEST_F(Command, SaysItsVersionAndWhatItMultipliesWith) {
  const Outcome outcome = run("--version");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ::testing::MatchesRegex(
                               "notape " NOTAPE_VERSION "\nVectors: AVX(-512|2)\nOpenBLAS: " +
                               blas::description() +
                               "\ncuDNN: (9[.][0-9.]+|absent [(].+[)])\n"
                               "cuSOLVER: (1[0-9]+[.][0-9.]+|absent [(].+[)])\n"));
}

TEST_F(Command, TheEnvironmentLimitsTheInstructions) {
  EXPECT_THAT(shell("NOTAPE_ISA=avx2 " NOTAPE_COMMAND " --version").out,
              HasSubstr("\nVectors: AVX2\n"));
  const Outcome wrong = shell("NOTAPE_ISA=sse2 " NOTAPE_COMMAND " --version");
  EXPECT_NE(wrong.status, 0);
  EXPECT_THAT(wrong.error, HasSubstr("NOTAPE_ISA: 'sse2' is neither avx2 nor avx512"));
}

TEST_F(Command, HelpsWithEveryCommand) {
  const Outcome outcome = run("--help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* command : {"verify", "examples", "trace", "latency", "ops"}) {
    EXPECT_THAT(outcome.out, HasSubstr(command));
    const Outcome own = run(std::string(command) + " --help");
    EXPECT_EQ(own.status, 0) << command;
    EXPECT_THAT(own.out, HasSubstr(std::string("notape ") + command)) << command;
  }
  EXPECT_THAT(run("trace record --help").out, HasSubstr("EXAMPLE"));
  EXPECT_THAT(run("examples graph --help").out, HasSubstr("FILE.svg"));
  EXPECT_THAT(outcome.out, HasSubstr("notape verify has 0 to 6, see notape verify --help"));
}

TEST_F(Command, RefusesWhatItDoesNotKnowInOneLine) {
  expect_refused("nonsense", "there is no command 'nonsense'");
  expect_refused("examples nonsense", "nonsense");
  expect_refused("examples run fig1 nonsense", "there is no example 'nonsense'");
  expect_refused("examples run listing", "did you mean 'listing1'?");
  expect_refused("trace", "notape trace");
  expect_refused("trace record nonsense -o " + path("x.json"), "there is no example 'nonsense'");
  expect_refused("trace record fig1 -o " + path("x.txt"), "ends in .json, .json.gz or .svg");
  expect_refused("trace record fig1 -o /no/such/folder/x.json", "/no/such/folder/x.json");
  expect_refused("trace record fig1 --steps 0 -o " + path("x.json"), "--steps");
  expect_refused("examples graph", "NAME");
  expect_refused("examples graph nonsense", "there is no example 'nonsense'");
  expect_refused("examples graph fig1 -o " + path("x.png"), "ends in .svg, .dot or .json");
  expect_refused("examples graph fig1 -o /no/such/folder/x.svg", "/no/such/folder/x.svg");
  expect_refused("examples graph fig1 --run 0", "--run");
  expect_refused("latency --format xml", "xml");
  expect_refused("ops sofmax", "did you mean 'softmax'?");
  expect_refused("ops --family nonsense", "'nonsense' is not one of activation");
  expect_refused("ops --json --markdown", "excludes");
  expect_refused("ops --certificate /no/such/file", "/no/such/file");
  expect_refused("latency --repetitions 0", "--repetitions");
  expect_refused("latency --operation div", "--operation");
  expect_refused("latency --against tensorflow", "--against");
  expect_refused("latency --libtorch /no/such/program",
                 "--libtorch /no/such/program: No such file");
  expect_refused("latency --python /no/such/python", "--python /no/such/python: No such file");
  expect_refused("latency -o " + path("curve.png"), "ends in .svg");
  expect_refused("latency -o /no/such/folder/curve.svg", "/no/such/folder/curve.svg");
  expect_refused("latency --gate 'tensor.p50 is small'", "a gate is FIGURE<=FACTORx FIGURE");
  expect_refused("latency --gate 'tensr.p50<=3ns'", "there is no figure 'tensr.p50'");
  expect_refused("latency --out /no/such/folder/x.json", "/no/such/folder/x.json");
  for (const char* command : {"latency", "verify tanh", "verify calibrate", "verify atlas",
                              "verify alias", "verify mutate"})
    expect_refused(std::string(command) + " --out ''", "--out: it is empty");
  EXPECT_EQ(run("").status, 2);
}

TEST_F(Command, ListsTheExamples) {
  const Outcome outcome = run("examples list");
  EXPECT_EQ(outcome.status, 0);
  for (const Example& example : examples()) EXPECT_THAT(outcome.out, HasSubstr(example.summary));
  EXPECT_EQ(run("examples").out, outcome.out);
}

TEST_F(Command, ListsTheOperatorsAndTellsOfOne) {
  const Outcome page = run("ops addcdiv"), list = run("ops --family activation");
  EXPECT_EQ(page.status, 0) << page.error;
  EXPECT_THAT(page.out, HasSubstr("derivative(\"AddcdivBackward0\""));
  EXPECT_EQ(list.status, 0) << list.error;
  EXPECT_THAT(list.out, HasSubstr("leaky_relu"));
  const auto json = nlohmann::json::parse(run("ops --json").out);
  EXPECT_GT(json.size(), 300U);
  EXPECT_THAT(run("ops --markdown").out, HasSubstr("| `tanh` | own rule |"));
}

TEST_F(Command, RunsTheNamedExamplesAndSaysWhatWasSeen) {
  const Outcome outcome = run("examples run fig1 inplace");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("=== fig1: "));
  EXPECT_THAT(outcome.out, HasSubstr("=== inplace: "));
  EXPECT_THAT(outcome.out, HasSubstr("expected: "));
  EXPECT_THAT(outcome.out, HasSubstr("=== 2 examples, all as expected"));
}

TEST_F(Command, RunsExamplesWithTheUsersOptions) {
  const Outcome outcome = run("examples run maml memory --quick --seed 3 --out pictures");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("Picture: pictures/memory.svg"));
  EXPECT_THAT(outcome.out, HasSubstr("=== 2 examples, all as expected"));
  EXPECT_TRUE(std::filesystem::exists(path("pictures/memory.svg")));
  EXPECT_NE(run("examples run maml --quick --seed 4").out,
            run("examples run maml --quick --seed 5").out);
  expect_refused("examples run maml --seed -1", "-1 is negative");
  expect_refused("examples run memory --out out/x", "out/x: cannot be made a folder");
  expect_refused("examples run fig1 maml --out x",
                 "'fig1', 'maml' take no --out, but --seed --quick");
}

TEST_F(Command, RecordsAnExampleAsAValidTrace) {
  for (const char* name : {"x.json", "x.json.gz"}) {
    const Outcome outcome = run("trace record fig1 --steps 3 -o " + path(name));
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_THAT(outcome.out, HasSubstr("written: " + path(name)));
    EXPECT_THAT(outcome.out, HasSubstr("self us"));
    const trace::TraceCheck check = trace::check_trace(path(name));
    EXPECT_THAT(check.complaints, IsEmpty());
    EXPECT_GT(check.flows, 0U);
    const std::string text = trace::read_file(path(name));
    EXPECT_THAT(text, HasSubstr("ProfilerStep#2"));
    EXPECT_THAT(text, HasSubstr("autograd::engine::evaluate_function: TanhBackward0"));
  }
}

TEST_F(Command, RecordsThePapersProgramAndNotWhatChecksIt) {
  const Outcome outcome = run("trace record fig1 -o " + path("x.json"));
  int operators = 0;
  const auto file = nlohmann::json::parse(trace::read_file(path("x.json")));
  for (const auto& event : file["traceEvents"])
    operators += event.value("ph", "") == "X" && event.value("cat", "") == "cpu_op";
  EXPECT_GE(operators, 20) << outcome.out;
  EXPECT_LE(operators, 60) << outcome.out;
}

TEST_F(Command, RecordsAnExampleAsAPicture) {
  const Outcome outcome = run("trace record fig1 -o x.svg");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("written: x.svg"));
  const std::string svg = trace::read_file(path("x.svg"));
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("<title>TanhBackward0, "));
  EXPECT_THAT(svg, HasSubstr("notape trace record fig1"));
}

TEST_F(Command, DrawsTheGraphOfAnExample) {
  const Outcome outcome = run("examples graph fig1");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_EQ(outcome.out, "written: fig1.svg, the graph of run 1 of 1\n");
  const std::string svg = trace::read_file(path("fig1.svg"));
  EXPECT_THAT(svg, HasSubstr(">saved result: float64 [20, 1], version 0<"));
  EXPECT_THAT(svg, HasSubstr(">MmBackward0 #"));
}

TEST_F(Command, DecidesTheThirdDerivativeOfFarNumbers) {
  EXPECT_EQ(run("verify log --dtype float64 --check third-order --require-power").status, 0);
}

TEST_F(Command, DrawsTheGraphThatBackwardRefuses) {
  const Outcome outcome = run("examples graph invalidation --run 2 -o x.svg");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(trace::read_file(path("x.svg")), HasSubstr(", version 0, now 1<"));
}

TEST_F(Command, ExportsTheGraphOfALaterRunInOtherForms) {
  EXPECT_EQ(run("examples graph hooks --run 2 -o x.json").status, 0);
  EXPECT_FALSE(nlohmann::json::parse(trace::read_file(path("x.json")))["nodes"].empty());
  EXPECT_EQ(run("examples graph fig1 -o x.dot").status, 0);
  EXPECT_THAT(trace::read_file(path("x.dot")), StartsWith("digraph notape {"));
}

TEST_F(Command, AGraphThatThereIsNotLeavesNoFile) {
  expect_refused("examples graph fig1 --run 2", "--run 2: fig1 calls backward() or grad() 1 times");
  EXPECT_FALSE(std::filesystem::exists(path("fig1.svg")));
}

TEST_F(Command, RecordsIntoAFileOfTheExamplesNameIfNoneIsGiven) {
  const Outcome outcome = run("trace record fig1");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("written: fig1.json.gz"));
  EXPECT_THAT(trace::check_trace(path("fig1.json.gz")).complaints, IsEmpty());
}

TEST_F(Command, SaysWhatATinyRecorderLost) {
  const Outcome outcome = run("trace record fig1 --events 5 -o " + path("x.json"));
  EXPECT_EQ(outcome.status, 0);
  const auto file = nlohmann::json::parse(trace::read_file(path("x.json")));
  EXPECT_GT(file["metadata"]["dropped"], 0);
  EXPECT_THAT(outcome.out, HasSubstr("5 events on 1 thread"));
}

TEST_F(Command, MeasuresLatencyForProgramsAndForPeople) {
  const Outcome json = run("latency --repetitions 3 --format json --out " + path("now.json"));
  EXPECT_EQ(json.status, 0) << json.error;
  EXPECT_THAT(json.out, IsEmpty());
  const auto report = nlohmann::json::parse(trace::read_file(path("now.json")));
  EXPECT_EQ(report["repetitions"], 3);
  for (const auto& row : report["results"])
    EXPECT_GT(row["untraced"]["minimum_ns"], 0) << row["name"];
  const Outcome table = run("latency --repetitions 3");
  EXPECT_EQ(table.status, 0);
  EXPECT_THAT(table.out, HasSubstr("3400"));
}

TEST_F(Command, OutputThatCannotBeWrittenIsOneLineAndStatus2) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  ASSERT_EQ(run("verify tanh --samples 1 --out " + path("report")).status, 0);
  const std::string bundle = path("report") + "/certificates.jsonl.gz";
  for (const std::string& words :
       {std::string("--help"), std::string("--version"), std::string("examples list"),
        std::string("ops tanh"), std::string("examples run fig1"),
        std::string("latency --repetitions 3"),
        std::string("trace record fig1 -o ") + path("x.json"), std::string("verify --help"),
        std::string("verify list"), std::string("verify tanh --samples 1 --quiet"),
        std::string("verify atlas relu --quiet"),
        std::string("verify alias --programs 100 --quiet"),
        "verify render " + bundle + " --format json", "verify diff " + bundle + " " + bundle,
        "verify explain " + bundle + " --id '*'"})
    for (const char* where : {" >/dev/full", " >&-"}) {
      const Outcome said = shell(NOTAPE_COMMAND " " + words + where);
      EXPECT_EQ(said.status, 2) << words << where << said.error;
      EXPECT_THAT(said.error, HasSubstr("standard output cannot be written")) << words << where;
      EXPECT_EQ(said.error_lines(), 1) << said.error;
    }
}

/// As on a full disk: no file may have more than 4 KiB.
TEST_F(Command, AFullDiskIsOneLineAndStatus2AndLeavesTheOldFile) {
  const struct {
    std::string words, file;
  } calls[] = {
      {"verify tanh --samples 1 --quiet --out " + path("report"), "report/certificates.jsonl.gz"},
      {"verify mutate tanh --samples 1 --quiet --out " + path("report"), "report/mutation.json"},
      {"verify atlas --quiet --out " + path("report"), "report/atlas.json"},
      {"trace record fig1 --steps 50 -o " + path("x.json"), "x.json"},
      {"latency --repetitions 300 --format json --out " + path("now.json"), "now.json"},
  };
  std::filesystem::create_directory(path("report"));
  for (const auto& [words, file] : calls) {
    std::ofstream(path(file)) << "old";
    const Outcome said = shell("ulimit -f 8; " NOTAPE_COMMAND " " + words + " >/dev/null");
    EXPECT_EQ(said.status, 2) << words << said.error;
    EXPECT_THAT(said.error, HasSubstr(path(file) + ": cannot be written")) << words;
    EXPECT_EQ(said.error_lines(), 1) << said.error;
    EXPECT_EQ(trace::read_file(path(file)), "old") << words;
  }
}

TEST_F(Command, NumbersInTheEnvironmentAreValidated) {
  for (const char* value :
       {"", "0", "-1", "nan", "1e99", "4x", " 4", "99999999999999999999", "2.5"})
    for (const char* words :
         {"verify tanh --samples 1", "examples run fig1", "latency --repetitions 3"}) {
      const Outcome said = shell("NOTAPE_NUM_THREADS='" + std::string(value) +
                                 "' " NOTAPE_COMMAND " " + words + " >/dev/null");
      EXPECT_EQ(said.status, 2) << words;
      EXPECT_THAT(said.error, HasSubstr("NOTAPE_NUM_THREADS: '" + std::string(value) +
                                        "' is no whole number from 1 to 4096"));
      EXPECT_EQ(said.error_lines(), 1) << said.error;
    }
  EXPECT_EQ(shell("NOTAPE_NUM_THREADS=2 " NOTAPE_COMMAND " examples run fig1 >/dev/null").status,
            0);
}

TEST_F(Command, AnInterruptedOneTellsWhatItHasAndLeavesTheOldFile) {
  const struct {
    std::string words, file, partial;
  } calls[] = {
      {"trace record listing1 --steps 100000 -o " + path("x.json"), "x.json", "x.interrupted.json"},
      {"latency --repetitions 100000 --format json --out " + path("now.json"), "now.json",
       "now.interrupted.json"},
  };
  for (const auto& [words, file, partial] : calls) {
    std::ofstream(path(file)) << "old";
    const Outcome said =
        shell("timeout --preserve-status -s INT 3 " NOTAPE_COMMAND " " + words + " >/dev/null");
    EXPECT_EQ(said.status, 130) << words << said.error;
    EXPECT_EQ(trace::read_file(path(file)), "old");
    EXPECT_TRUE(nlohmann::json::accept(trace::read_file(path(partial)))) << words;
  }
  const Outcome said = shell(
      "timeout --preserve-status -s TERM 1 sh -c 'exec " NOTAPE_COMMAND
      " examples run listing1 listing1 listing1 listing1 listing1 listing1 listing1 listing1' >" +
      path("out"));
  EXPECT_EQ(said.status, 143) << said.error;
  EXPECT_THAT(trace::read_file(path("out")), HasSubstr("=== interrupted by SIGTERM: "));
}

TEST_F(Command, VerifiesOnADeviceThatIsNotTheCpu) {
  const Outcome outcome = run(
      "verify --device sim --samples 2 --quiet mul softmax sum mm index_put_accumulate as_strided "
      "margin_ranking_loss");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("7 operators"));
}

TEST_F(Command, HandsItsWordsToVerify) { EXPECT_EQ(run("verify --no-such-option").status, 2); }

}  // namespace
}  // namespace notape
