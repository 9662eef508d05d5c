// The command: what it prints, and its exit code.
#include "verify/command/session.h"

#include <gmock/gmock.h>

#include <csignal>
#include <stdexcept>

#include "autograd/warning.h"
#include "verify/command/session_test_helper.h"
#include "verify/report/summary.h"
#include "verify/report/table.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

int lines_of(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Command, AllRightIsExitCode0) {
  const OpSpec right = right_operator();
  const Said said = say({}, {&right});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("1 operator, 41 checks: 41 pass; 60 cases"));
  EXPECT_THAT(said.err, IsEmpty());
}

TEST(Command, WrongGradientIsExitCode1AndNamesEverythingNeeded) {
  const OpSpec right = right_operator(), wrong = wrong_operator();
  const Said said = say({}, {&right, &wrong});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("FAIL: wrong/reverse in float64"), HasSubstr("expected"),
                    HasSubstr("got"), HasSubstr("blame"), HasSubstr("mutant_test_helper.h"),
                    HasSubstr("replay     notape verify run wrong --dtype float64 --case 1"),
                    Not(HasSubstr("FAIL: right"))));
}

TEST(Command, TheReplayLineReproducesTheFailure) {
  const OpSpec wrong = wrong_operator();
  const Said first = say({"--quiet", "--dtype", "float64", "--seed", "3"}, {&wrong});
  const std::string title = "replay     notape verify ";
  const std::size_t at = first.out.find(title);
  ASSERT_NE(at, std::string::npos) << first.out;
  std::istringstream line(first.out.substr(at + title.size()));
  std::vector<std::string> words;
  std::string word;
  for (int i = 0; i < 6 && line >> word; ++i) words.push_back(word);
  words.push_back("--quiet");
  const Said again = say(words, {&wrong});
  EXPECT_EQ(again.code, 1);
  // From the title of the failure to its end, word for word.
  const std::size_t start = first.out.find("FAIL: "), end = first.out.find("\n\n", start);
  EXPECT_THAT(again.out, HasSubstr(first.out.substr(start, end - start)));
  EXPECT_THAT(again.out, HasSubstr(" 1 case, "));
}

TEST(Command, AReplayOfARightOperatorIsExitCode0) {
  const OpSpec right = right_operator();
  EXPECT_EQ(say({"right", "--dtype", "float64", "--case", "1"}, {&right}).code, 0);
}

TEST(Command, UnknownOperatorIsExitCode2WithASuggestion) {
  const OpSpec right = right_operator();
  const Said said = say({"rigth"}, {&right});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("no operator is called 'rigth'; did you mean 'right'?"));
  EXPECT_EQ(lines_of(said.err), 1);
  EXPECT_THAT(said.out, IsEmpty());
}

TEST(Command, BadUsageIsExitCode2InOneLineThatNamesTheWord) {
  const OpSpec right = right_operator();
  const struct {
    std::vector<std::string> words;
    const char* named;
  } calls[] = {
      {{"--no-such-option"}, "--no-such-option"},
      {{"--dtype", "float8"}, "'float8'"},
      {{"--seed", "soon"}, "--seed: 'soon'"},
      {{"--samples", "0"}, "--samples"},
      {{"--samples", "many"}, "'many'"},
      {{"--format", "yaml", "--out", "x"}, "'yaml'"},
      {{"--power", "plenty"}, "'plenty'"},
      {{"--check", "revers"}, "'revers'"},
      {{"--order", "4"}, "--order"},
      {{"--order", "first"}, "'first'"},
      {{"--format", "json"}, "--out"},
      {{"--device", "abacus"}, "abacus"},
      {{"right", "--dtype", "float64", "--case", "!"}, "'!'"},
      {{"right", "--case", "1"}, "--dtype"},
      {{"--dtype", "float64", "--case", "1"}, "one operator"},
  };
  for (const auto& call : calls) {
    const Said said = say(call.words, {&right});
    EXPECT_EQ(said.code, 2) << call.named;
    EXPECT_THAT(said.err, AllOf(StartsWith("notape verify: "), HasSubstr(call.named)));
    EXPECT_EQ(lines_of(said.err), 1) << said.err;
    EXPECT_THAT(said.out, IsEmpty()) << call.named;
  }
}

TEST(Command, OnlyTheChecksAskedForAreMade) {
  const OpSpec right = right_operator(), wrong = wrong_operator();
  EXPECT_EQ(say({"--check", "value,layouts"}, {&wrong}).code, 0);
  EXPECT_EQ(say({"--check", "reverse"}, {&wrong}).code, 1);
  const auto checks = [&](std::vector<std::string> words) {
    const Said said = say(std::move(words), {&right});
    return said.out.substr(said.out.find("1 operator, "));
  };
  EXPECT_THAT(checks({"--check", "value,reverse"}), StartsWith("1 operator, 4 checks: 4 pass"));
  EXPECT_THAT(checks({"--check", "second-order", "--order", "2"}), HasSubstr(" 2 checks: 2 pass"));
}

TEST(Command, AnOptionWithACommaListLeavesSelectorsAlone) {
  const OpSpec right = right_operator();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--dtype", "float64", "right"},
        {"--check", "value,reverse", "right"},
        {"--power", "float64=1e-3,float32=1e-2", "right"},
        {"--check", "value", "--check", "reverse", "right"}})
    EXPECT_EQ(say(words, {&right}).code, 0) << words[0];
}

TEST(Command, NoCheckLeftIsExitCode5) {
  const OpSpec right = right_operator();
  EXPECT_EQ(say({"--check", "second-order", "--order", "1"}, {&right}).code, 5);
}

TEST(Command, NoOperatorsIsExitCode5) {
  const Said said = say({}, {});
  EXPECT_EQ(said.code, 5);
  EXPECT_THAT(said.err, HasSubstr("there are no operators to check"));
  EXPECT_EQ(say({"list"}, {}).code, 5);
}

TEST(Command, ChecksThatComparedNothingAreExitCode5) {
  OpSpec empty = right_operator();
  empty.draw = [draw = empty.draw](Draw& choices) {
    OpCase one = draw(choices);
    one.arguments[0].sizes = {0};
    return one;
  };
  const Said said = say({}, {&empty});
  EXPECT_EQ(said.code, 5);
  EXPECT_THAT(said.out, HasSubstr("VACUOUS"));
}

TEST(Command, AnAbsentDeviceIsExitCode5) {
  const OpSpec right = right_operator();
  const Said said = say({"--device", "cuda:99"}, {&right});
  EXPECT_EQ(said.code, 5);
  EXPECT_THAT(said.err, HasSubstr("device cuda:99 is not available"));
}

TEST(Command, TheWorstVerdictDecidesTheExitCode) {
  using enum Verdict;
  const struct {
    std::vector<Verdict> verdicts;
    int code;
  } runs[] = {{{Pass, Limit, Unresolved}, 0},
              {{Pass, Fail}, 1},
              {{Nonfinite}, 1},
              {{Pass, Unresolved, Kink}, 0},
              {{Rejected}, 1},
              {{Nondeterministic, Fail}, 1},
              {{Pass, Nondeterministic}, 4},
              {{Pass, Vacuous}, 5},
              {{Vacuous, Nondeterministic}, 4},
              {{Error, Fail}, 6},
              {{}, 5}};
  for (const auto& run : runs) {
    std::vector<Certificate> certificates;
    for (Verdict verdict : run.verdicts)
      certificates.push_back({.verdict = verdict, .comparisons = 1});
    EXPECT_EQ(exit_code_of(certificates), run.code);
  }
}

TEST(Command, GatesComeAfterWhatIsWrongAndBeforeWhatIsMissing) {
  using enum Verdict;
  const Gates gates{.power = {{kFloat64, 1e-9}}, .require_power = true, .strict = true};
  const struct {
    std::vector<Certificate> certificates;
    int code;
  } runs[] = {{{{.verdict = Unresolved}, {.verdict = Vacuous}}, 3},
              {{{.verdict = Unresolved}, {.verdict = Nondeterministic}}, 4},
              {{{.verdict = Pass, .detectable = 1e-8}}, 3},
              {{{.dtype = kFloat32, .verdict = Pass, .comparisons = 1, .detectable = 1e-8}}, 0},
              {{{.verdict = Kink, .detail = "undeclared"}, {.verdict = Unresolved}}, 1},
              {{{.verdict = Kink, .comparisons = 1}}, 0},
              {{{.verdict = Fail}, {.verdict = Error}}, 6}};
  for (const auto& run : runs) EXPECT_EQ(exit_code_of(run.certificates, gates), run.code);
  EXPECT_EQ(exit_code_of({{.verdict = Unresolved, .comparisons = 1}}), 0);
}

TEST(Command, AMissedGateNamesTheWeakestCheckPerDtype) {
  const OpSpec right = right_operator();
  const Said weak = say({"--power", "float64=1e-30,float32=1e-30"}, {&right});
  EXPECT_EQ(weak.code, 3);
  for (const char* dtype : {"float64", "float32"})
    EXPECT_THAT(weak.out,
                ::testing::ContainsRegex(
                    std::string("[0-9]+ checks in ") + dtype +
                    " could miss a relative error above the gate 1e-30 \\(--power\\); the "
                    "weakest, right/[a-z-]+/" +
                    dtype + "/cpu, one of [0-9.]+(e-[0-9]+)?\n"));
  EXPECT_THAT(say({"--power", "1e-1"}, {&right}).out, Not(HasSubstr("above the gate")));
}

TEST(Command, WhatOnlyStrictRefusesIsNamed) {
  const OpSpec right = right_operator();
  const std::vector<Certificate> certificates = {
      {.spec = &right, .check = "value", .verdict = Verdict::Pass},
      {.spec = &right, .check = "kinks", .verdict = Verdict::Kink, .detail = "undeclared"},
      {.spec = &right, .check = "reverse", .verdict = Verdict::Jump, .detail = "undeclared"},
      {.spec = &right, .check = "layouts", .verdict = Verdict::Kink, .detail = "declared"}};
  EXPECT_EQ(
      missed_gates(certificates, {.strict = true}),
      "2 checks met a kink, a jump or an unbounded slope that is not declared (--strict); the "
      "first is right/kinks/float64/cpu: KINK\n");
  EXPECT_EQ(missed_gates(certificates, {}), "");
}

TEST(Command, TheWeakestIsTheOneFurthestAboveTheGate) {
  const OpSpec right = right_operator();
  const auto one = [&](const char* check, ScalarType dtype, Verdict verdict, double detectable) {
    return Certificate{.spec = &right,
                       .check = check,
                       .dtype = dtype,
                       .verdict = verdict,
                       .detail = "too flat",
                       .detectable = detectable};
  };
  using enum Verdict;
  const std::vector<Certificate> certificates = {
      one("value", kFloat64, Unresolved, 2e-11), one("reverse", kFloat64, Unresolved, 3e-11),
      one("layouts", kFloat64, Pass, 1e-12),     one("saved", kFloat64, Fail, 1),
      one("value", kFloat32, Pass, 1e-5),        one("kinks", kFloat32, Unresolved, 0)};
  const Gates gates{.power = {{kFloat64, 1e-11}, {kFloat32, 1e-4}}};
  EXPECT_EQ(missed_gates(certificates, gates),
            "2 checks in float64 could miss a relative error above the gate 1e-11 (--power); the "
            "weakest, right/reverse/float64/cpu, one of 3e-11\n");
  EXPECT_EQ(
      missed_gates(certificates, {.require_power = true}),
      "3 checks could not decide (--require-power); the first is right/value/float64/cpu: too "
      "flat\n");
  EXPECT_EQ(missed_gates(certificates, {}), "");
}

TEST(Command, ChecksInANewProcessAreCountedApart) {
  const OpSpec right = right_operator();
  const std::vector<Certificate> certificates = {{.spec = &right, .check = "value"},
                                                 {.spec = &right, .check = kFreshProcess}};
  EXPECT_EQ(
      summary_line(certificates, 1, 30, 0.5, 1),
      "1 operator, 2 checks (1 of them in a new process, in no row): 2 pass; 30 cases, 0.5 s, "
      "seed 1\n");
}

TEST(Command, UnknownWordsAreNamedInTheirOrder) {
  EXPECT_THAT(say({"--zap", "--able"}, {}).err, HasSubstr("not understood: --zap --able;"));
}

TEST(Command, WarningsAboutDrawnCasesAreNotPrinted) {
  const OpSpec warner = operator_that([] { warn("an odd shape", SourceLocation::current()); });
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(say({"--samples", "5"}, {&warner}).code, 0);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST(Command, AnUnnamedExceptionIsExitCode6AndTheOthersStillRun) {
  const OpSpec thrower = operator_that([] { throw std::runtime_error("spilt milk"); });
  const OpSpec right = right_operator();
  const Said said = say({}, {&thrower, &right});
  EXPECT_EQ(said.code, 6);
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("ERROR: actor/"), HasSubstr("spilt milk"), HasSubstr("2 operators")));
}

TEST(Command, ANamedErrorIsARejectionAndExitCode1) {
  const OpSpec refuser = operator_that([] { throw ShapeError("not today"); });
  const Said said = say({}, {&refuser});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, AllOf(HasSubstr("REJECTED: actor/"), HasSubstr("not today")));
}

TEST(CommandDeathTest, ACrashEndsTheRunWithExitCode6AndAReplayLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
    const OpSpec crasher = operator_that([signal] { std::raise(signal); });
    EXPECT_EXIT(
        std::exit(say({}, {&crasher}).code), ::testing::ExitedWithCode(6),
        "an operator crashed .*; replay: notape verify run actor --dtype float64 --case [1c]");
  }
}

TEST(Command, FailFastStopsAfterTheFirstWrongOperator) {
  const OpSpec wrong = wrong_operator(), right = right_operator();
  EXPECT_THAT(say({"--fail-fast"}, {&wrong, &right}).out, HasSubstr("1 operator, "));
  EXPECT_THAT(say({}, {&wrong, &right}).out, HasSubstr("2 operators"));
}

TEST(Command, SelectorsGlobsAndAllChooseOperators) {
  const OpSpec right = right_operator(), other = named("other", tanh_too_steep(1));
  EXPECT_THAT(say({"o*"}, {&right, &other}).out, HasSubstr("1 operator, "));
  EXPECT_THAT(say({"right", "other"}, {&right, &other}).out, HasSubstr("2 operators"));
  EXPECT_THAT(say({"all"}, {&right, &other}).out, HasSubstr("2 operators"));
}

TEST(Command, TheSameSeedGivesTheSameCasesAndSamplesAreCounted) {
  const auto values = [&](const char* seed) {
    Numbers seen;
    const OpSpec watcher = unary_mutant(
        [&](const variable_list& x) {
          for (double value : numbers_of(x[0]))
            if (!std::isnan(value)) seen.push_back(value);  // NaN is like no other
          return tanh(x[0]);
        },
        plain_tanh);
    EXPECT_THAT(say({"--seed", seed, "--samples", "7"}, {&watcher}).out,
                AllOf(HasSubstr(" 14 cases"), HasSubstr(std::string("seed ") + seed)));
    return seen;
  };
  EXPECT_EQ(values("5"), values("5"));
  EXPECT_NE(values("5"), values("6"));
}

TEST(Command, RapidChecksEnvironmentVariableCountsWhereTheCommandLineSaysNothing) {
  const OpSpec right = right_operator();
  const char* params = "seed=9 max_success=4";
  EXPECT_THAT(say({}, {&right}, params).out, AllOf(HasSubstr(" 8 cases"), HasSubstr("seed 9")));
  EXPECT_THAT(say({"--seed", "2"}, {&right}, params).out, HasSubstr("seed 2"));
}

TEST(Command, HelpNamesEveryExitCodeAndListEveryOperator) {
  const OpSpec right = right_operator();
  const Said help = say({"--help"}, {&right});
  EXPECT_EQ(help.code, 0);
  for (const char* code : {"0 all is well", "1 a wrong", "2 bad usage", "3 a larger error",
                           "4 equal calls", "5 nothing was checked", "6 an operator"})
    EXPECT_THAT(help.out, HasSubstr(code));
  EXPECT_THAT(help.out, HasSubstr("ends the run"));
  const Said list = say({"list"}, op_specs());
  EXPECT_EQ(list.code, 0);
  for (const OpSpec* spec : op_specs()) EXPECT_THAT(list.out, HasSubstr(spec->name));
  EXPECT_THAT(list.out, ::testing::ContainsRegex("^family +operator +inputs  defined at\n"));
  EXPECT_THAT(say({"list"}, {&right}).out, HasSubstr("\n1 operator\n"));
}

}  // namespace
}  // namespace notape::verify
