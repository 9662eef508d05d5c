// --jobs, --budget and changed: as a user sees them.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "verify/command/session_test_helper.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using notape::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string without_times(std::string text) {
  text = std::regex_replace(text, std::regex(" +[0-9]+\\.[0-9]+( s)?(?=[ ,\n(])"), " T");
  text = std::regex_replace(text, std::regex("\"seconds\":\\{[^}]*\\}"), "T");
  return text;
}

TEST(Jobs, SayWhatOneProcessSaysExceptTimes) {
  const OpSpec right = right_operator(), wrong = wrong_operator(), other = named("other", right);
  const std::vector<std::string> words = {"--format", "github", "--samples", "6"};
  const auto with_jobs = [&](std::vector<std::string> jobs) {
    const TemporaryFolder folder;
    std::vector<std::string> all = words;
    all.insert(all.end(), jobs.begin(), jobs.end());
    all.insert(all.end(), {"--format", "json", "--out", folder / "out"});
    const Said said = say(all, {&right, &wrong, &other});
    EXPECT_EQ(said.code, 1) << said.err;
    return std::pair(without_times(said.out),
                     without_times(bundle_text(folder / "out/certificates.jsonl.gz")));
  };
  const auto alone = with_jobs({}), one = with_jobs({"--jobs", "1"}),
             two = with_jobs({"--jobs", "2"});
  EXPECT_THAT(alone.first, HasSubstr("FAIL: wrong/reverse in float64"));
  EXPECT_THAT(alone.second, HasSubstr("notape.certificate/1"));
  EXPECT_EQ(one, alone);
  EXPECT_EQ(two, alone);
}

TEST(Jobs, CheckOnADeviceAndMissItAsOneProcessDoes) {
  const OpSpec right = right_operator();
  EXPECT_EQ(say({"--device", "sim", "--jobs", "2", "--check", "value"}, {&right}).code, 0);
  const Said said = say({"--device", "cuda:99", "--jobs", "2"}, {&right});
  EXPECT_EQ(said.code, 5);
  EXPECT_THAT(said.err, HasSubstr("device cuda:99 is not available"));
}

TEST(Jobs, FailFastStopsBehindTheSameOperator) {
  const OpSpec right = right_operator(), wrong = wrong_operator(), other = named("other", right);
  const std::vector<std::string> words = {"--fail-fast", "--samples", "4"};
  const Said alone = say(words, {&right, &wrong, &other});
  const Said two = say({"--fail-fast", "--samples", "4", "--jobs", "2"}, {&right, &wrong, &other});
  EXPECT_THAT(alone.out, HasSubstr("2 operators"));
  EXPECT_EQ(without_times(two.out), without_times(alone.out));
}

/// tanh that ends the process in its backward, for inputs of more than two dimensions.
OpSpec crashing_operator(int signal) {
  return named("crashing",
               unary_mutant(
                   [=](const variable_list& x) {
                     const auto rule = elementwise([=](const Tensor& grad, const Output& y) {
                       if (grad.dim() > 1) std::raise(signal);
                       return grad * (1 - square(y));
                     });
                     return with_derivative(derivative("Mutant", rule), plain_tanh, x[0]);
                   },
                   plain_tanh));
}

TEST(Jobs, ACrashIsAVerdictAndTheRestStillRuns) {
  const OpSpec crashing = crashing_operator(SIGSEGV), right = right_operator();
  const Said said = say({"--jobs", "2"}, {&crashing, &right});
  EXPECT_EQ(said.code, 6) << said.out;
  EXPECT_THAT(said.out, AllOf(HasSubstr("ERROR: crashing/"), HasSubstr("SIGSEGV"),
                              HasSubstr("replay     notape verify run crashing --dtype"),
                              HasSubstr("right"), Not(HasSubstr("ERROR: right"))));
  EXPECT_EQ(without_times(say({"--jobs", "1"}, {&crashing, &right}).out), without_times(said.out));
}

TEST(Jobs, AnOperatorThatCannotBeCalledAtAllIsOneError) {
  const OpSpec dead = operator_that([] { std::raise(SIGKILL); }), right = right_operator();
  const Said said = say({"--jobs", "2", "--dtype", "float64"}, {&dead, &right});
  EXPECT_EQ(said.code, 6);
  EXPECT_THAT(said.out, AllOf(HasSubstr("ERROR: actor/inputs"), HasSubstr("SIGKILL"),
                              HasSubstr("2 operators")));
}

TEST(Jobs, TheirErrorsNameTheWord) {
  const OpSpec right = right_operator();
  const struct {
    std::vector<std::string> words;
    const char* named;
  } calls[] = {{{"--jobs", "0"}, "--jobs: '0'"},
               {{"--jobs", "few"}, "--jobs: 'few'"},
               {{"--jobs", "1000"}, "--jobs: '1000'"},
               {{"--threads", "0"}, "--threads: '0'"},
               {{"--budget", "soon"}, "--budget: 'soon'"},
               {{"--budget", "-1s"}, "--budget"},
               {{"--budget", "0"}, "--budget: '0'"},
               {{"--budget", "5 minutes"}, "'5 minutes'"},
               {{"--budget", "nan"}, "'nan'"},
               {{"--history", "x"}, "--history"},
               {{"--budget", "1s", "--history", "/nowhere"}, "/nowhere"},
               {{"--budget", "1s", "right", "--dtype", "float64", "--case", "1"}, "--case"},
               {{"changed:no-such-commit"}, "no-such-commit"},
               {{"changed:--output=x"}, "--output=x"},
               {{"changed:"}, "'changed:' names no commit"},
               {{"mutate", "--jobs", "0"}, "--jobs: '0'"},
               {{"alias", "--jobs", "0"}, "--jobs: '0'"},
               {{"alias", "--jobs", "2", "--threads", "2"}, "--threads"},
               {{"alias", "--exchange", "x"}, "--exchange"}};
  for (const auto& call : calls) {
    const Said said = say(call.words, {&right});
    EXPECT_EQ(said.code, 2) << call.named;
    EXPECT_THAT(said.err, AllOf(StartsWith("notape verify: "), HasSubstr(call.named)));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_THAT(said.out, IsEmpty()) << call.named;
  }
}

TEST(Jobs, AFreshSeedIsSaidFirst) {
  const OpSpec right = right_operator();
  const Said said = say({"--seed", "fresh", "--samples", "1"}, {&right});
  std::smatch seed;
  ASSERT_TRUE(std::regex_search(said.out, seed, std::regex("^seed ([0-9]+)\n")));
  EXPECT_THAT(said.out, HasSubstr(", seed " + seed[1].str() + "\n"));
}

TEST(Jobs, MutationOnProcessesIsTheSame) {
  const std::vector<std::string> words = {"mutate", "exp", "M0*", "--samples", "5"};
  std::vector<std::string> two = words;
  two.insert(two.end(), {"--jobs", "2"});
  const SpecList specs = {&find_op_spec("exp"), &find_op_spec("mul")};
  const Said alone = say(words, specs), shared = say(two, specs);
  EXPECT_EQ(shared.code, alone.code);
  EXPECT_EQ(without_times(shared.out), without_times(alone.out));
}

}  // namespace
}  // namespace notape::verify
