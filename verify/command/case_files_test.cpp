// Replay codes of twelve characters, and the files that know what they stand for.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "verify/command/session_test_helper.h"
#include "verify/gradcheck.h"
#include "verify/report/case_file.h"
#include "verify/report/github.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Cases that tests of this program leave go nowhere else.
struct CasesApart {
  CasesApart() { ::setenv("NOTAPE_CASES", (folder / "cases").c_str(), 0); }
  const testing::TemporaryFolder folder;
};
const CasesApart apart;

/// A gradient that is wrong only if six numbers are large: its simplest case has a long code.
OpSpec wrong_far_out() {
  const OpSpec wrong = wrong_operator(), right = right_operator();
  OpSpec spec = named("wrong_far_out", wrong);
  spec.draw = [wrong, right](Draw& draw) {
    bool far = true;
    for (int i = 0; i < 6; ++i) far = (draw.integer(0, 1 << 30) > 1 << 20) && far;
    return (far ? wrong : right).draw(draw);
  };
  return spec;
}

/// The words after `notape verify` in the first replay command of a text.
std::vector<std::string> replay_words(const std::string& text) {
  const std::string title = "replay     notape verify ";
  const std::size_t at = text.find(title);
  if (at == text.npos) return {};
  std::istringstream line(text.substr(at + title.size(), text.find('\n', at) - at - title.size()));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

/// Where this test's cases are.
class CaseFolder {
 public:
  CaseFolder() { point_to("cases"); }
  ~CaseFolder() { ::setenv("NOTAPE_CASES", (apart.folder / "cases").c_str(), 1); }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  void point_to(const char* name) { ::setenv("NOTAPE_CASES", (folder / name).c_str(), 1); }
  const testing::TemporaryFolder folder;
};

TEST(CaseFiles, ALongCodeIsTwelveCharactersAndReplaysTheSameCase) {
  const CaseFolder kept;
  const OpSpec spec = wrong_far_out();
  const Said first = say({"--dtype", "float64", "--quiet"}, {&spec});
  EXPECT_EQ(first.code, 1) << first.out;
  std::vector<std::string> words = replay_words(first.out);
  ASSERT_EQ(words.size(), 6U) << first.out;
  EXPECT_EQ(words.back().size(), 12U) << words.back();
  words.push_back("--quiet");
  const Said again = say(words, {&spec});
  EXPECT_EQ(again.code, 1) << again.err;
  const std::size_t start = first.out.find("FAIL: "), end = first.out.find("\n\n", start);
  EXPECT_THAT(again.out,
              AllOf(HasSubstr(first.out.substr(start, end - start)), HasSubstr(" 1 case, ")));
  // The id alone says which operator and dtype.
  EXPECT_EQ(say({"--case", words[5]}, {&spec}).code, 1);
}

TEST(CaseFiles, AReportHasItsCasesBesideItForAnotherMachine) {
  CaseFolder kept;
  const OpSpec spec = wrong_far_out();
  const Said first =
      say({"--dtype", "float64", "--out", kept.folder / "report", "--quiet"}, {&spec});
  const std::vector<std::string> words = replay_words(first.out);
  ASSERT_FALSE(words.empty()) << first.out;
  kept.point_to("nothing here");
  const Said lost = say({"--case", words.back()}, {&spec});
  EXPECT_EQ(lost.code, 2);
  EXPECT_THAT(lost.err, AllOf(HasSubstr("no case " + words.back()), HasSubstr("--cases")));
  EXPECT_EQ(std::count(lost.err.begin(), lost.err.end(), '\n'), 1) << lost.err;
  const std::string file = kept.folder / "report/cases.jsonl";
  EXPECT_EQ(say({"--case", words.back(), "--cases", file}, {&spec}).code, 1);
  // A run without such cases leaves none of an earlier one.
  const OpSpec right = right_operator();
  say({"--dtype", "float64", "--samples", "1", "--out", kept.folder / "report"}, {&right});
  std::ifstream now(file);
  const std::string text((std::istreambuf_iterator<char>(now)), {});
  EXPECT_THAT(text, Not(HasSubstr("wrong_far_out")));
}

TEST(CaseFiles, LongCodesOfEarlierReportsAreStillUnderstood) {
  const CaseFolder kept;
  const OpSpec spec = wrong_far_out();
  Options options{.dtypes = {kFloat64}};
  for (const Certificate& one : verify_operator(spec, options))
    if (one.failure) {
      ASSERT_GT(one.failure->code.size(), 12U);
      EXPECT_EQ(
          say({"wrong_far_out", "--dtype", "float64", "--case", one.failure->code}, {&spec}).code,
          1);
    }
}

TEST(CaseFiles, WhatDoesNotFitIsOneLineAndExitCode2) {
  const CaseFolder kept;
  const OpSpec spec = wrong_far_out(), right = right_operator();
  const Said first = say({"--dtype", "float64", "--out", kept.folder / "report"}, {&spec});
  const std::vector<std::string> words = replay_words(first.out);
  ASSERT_FALSE(words.empty()) << first.out;
  const std::string id = words.back(), file = kept.folder / "report/cases.jsonl";
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  int count = 0;
  const auto changed = [&](const std::string& from, const std::string& to) {
    const std::string name = kept.folder / (std::to_string(++count) + ".jsonl");
    std::string other = text;
    const std::size_t at = other.find(id), where = other.find(from, at);
    if (where != other.npos) other.replace(where, from.size(), to);
    std::ofstream(name) << other;
    return name;
  };
  const struct {
    std::vector<std::string> words;
    std::string why;
  } cases[] = {
      {{"right", "--case", id}, "is of operator 'wrong_far_out', not 'right'"},
      {{"--case", id, "--dtype", "float32"}, "is of dtype 'float64', not 'float32'"},
      {{"--case", id, "--cases", changed("float64", "float32")}, "has been changed"},
      {{"--case", id, "--cases", changed("notape.case/1", "notape.case/1")}, "none"},
      {{"--case", id, "--cases", changed("\"code\"", "\"cod")}, "is not JSON"},
      {{"--case", id, "--cases", kept.folder / "none"}, "none: No such file"},
      {{"--case", "1", "--dtype", "float64", "right", "--cases", file}, "is no id of a case"},
  };
  for (const auto& one : cases) {
    const Said said = say(one.words, {&spec, &right});
    if (one.why == "none") {
      EXPECT_EQ(said.code, 1) << said.err;
      continue;
    }
    EXPECT_EQ(said.code, 2) << one.why << said.out;
    EXPECT_THAT(said.err, HasSubstr(one.why));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
}

TEST(CaseFiles, AnAnnotationIsOneLineWithTheShortCode) {
  const OpSpec spec = wrong_far_out();
  Certificate certificate{.spec = &spec, .check = "reverse", .verdict = Verdict::Fail};
  certificate.failure = Exhibit{.outcome = Outcome::of(Verdict::Fail, "value", "one\ntwo\rthree"),
                                .code = "1" + std::string(300, 'v') + "0"};
  const std::string text = github_annotations({record_of(certificate)}, {});
  EXPECT_THAT(text, AllOf(HasSubstr("one two three"), HasSubstr("--case c"), Not(HasSubstr("%0A")),
                          Not(HasSubstr("vvvvvvvvvvvvv"))));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(CaseFiles, AFailedAssertionNamesACaseThatTheTestCanRunAlone) {
  const CaseFolder kept;
  const OpSpec wrong = wrong_operator();
  ChoiceDraw draw{Choices{}};
  const OpCase one = wrong.draw(draw);
  const auto f = [&](const Tensor& x) { return one.call({x}); };
  const Tensor x = make_tensor({0.5, -1}, {2}, kFloat64).requires_grad_(true);
  const Report first = check(f, {x}, {.name = "mine"});
  EXPECT_FALSE(first.ok());
  const std::string text = first.text(), title = "replay     NOTAPE_CASE=";
  const std::size_t at = text.find(title);
  ASSERT_NE(at, std::string::npos) << text;
  ::setenv("NOTAPE_CASE", text.substr(at + title.size(), 12).c_str(), 1);
  const Report again = check(f, {x}, {.name = "mine"});
  for (const Certificate& certificate : *again.certificates) EXPECT_LE(certificate.cases, 1);
  const Report other = check(f, {x}, {.name = "another"});
  ::unsetenv("NOTAPE_CASE");
  EXPECT_FALSE(again.ok());
  int64_t most = 0;  // of a check that passes: a red one may end with its first case
  for (const Certificate& certificate : *other.certificates)
    most = std::max<int64_t>(most, certificate.cases);
  EXPECT_GT(most, 1);
}

/// What the command says on standard error in a process of its own, and how that ends.
std::pair<int, std::string> in_own_process(const std::vector<std::string>& words,
                                           const OpSpec& spec) {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "err";
  const pid_t child = ::fork();
  if (child == 0) {
    const int to = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(to, STDERR_FILENO);
    std::_Exit(say(words, {&spec}).code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::ifstream in(file);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          std::string((std::istreambuf_iterator<char>(in)), {})};
}

TEST(CaseFiles, ACrashThatEndsTheCommandLeavesItsCase) {
  const CaseFolder kept;
  const OpSpec crasher = operator_that([] { std::raise(SIGSEGV); });
  const auto [status, text] = in_own_process({"--dtype", "float64", "--seed", "5"}, crasher);
  EXPECT_EQ(status, 6) << text;
  const std::size_t at = text.find("--case ");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string id = text.substr(at + 7, 12);
  ASSERT_TRUE(is_case_id(id)) << text;
  EXPECT_EQ(find_case(id, cases_directory()).op, "actor");
  EXPECT_EQ(in_own_process({"--case", id}, crasher).first, 6);
}

TEST(CaseFiles, OldFilesGoAndThoseOfOthersStay) {
  const CaseFolder kept;
  const std::filesystem::path directory = kept.folder / "cases";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "mine.jsonl") << "{}\n";
  for (int i = 0; i < 210; ++i)
    std::ofstream(directory / ("cases-" + std::to_string(i) + ".jsonl")) << "{}\n";
  const SavedCase one{.op = "f", .dtype = "float64", .device = "cpu", .code = "1k2z9"};
  keep_cases({one});
  EXPECT_EQ(find_case(one.id(), cases_directory()).code, "1k2z9");
  EXPECT_TRUE(std::filesystem::exists(directory / "mine.jsonl"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++files;
  EXPECT_LE(files, 201U);
}

}  // namespace
}  // namespace notape::verify
