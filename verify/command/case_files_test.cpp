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
#include "verify/report/formats.h"
#include "verify/unrepeated.h"

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
  const auto two_days_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(48);
  const auto make_old = [&](const std::filesystem::path& file) {
    std::filesystem::last_write_time(file, two_days_ago);
  };
  const auto leave = [&](const std::string& name, bool old) {
    const std::filesystem::path file = directory / ("cases-" + name + ".jsonl");
    std::ofstream(file) << "{}\n";
    if (old) make_old(file);
  };
  const auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(directory), {});
  };
  const auto keep = [&](const std::string& code) {
    const SavedCase one{.op = "f", .dtype = "float64", .device = "cpu", .code = code};
    keep_cases({one});
    return one.id();
  };
  make_old(directory / "mine.jsonl");
  for (int i = 0; i < 210; ++i) leave("old" + std::to_string(i), true);
  const std::string first = keep("1k2z9");
  EXPECT_TRUE(std::filesystem::exists(directory / "mine.jsonl"));
  EXPECT_LE(count(), 201);
  // What was printed today, by this process or another, is there today.
  for (int i = 0; i < 300; ++i) leave("today" + std::to_string(i), false);
  std::string id;
  for (int i = 0; i < 210; ++i) id = keep("1k2z" + std::to_string(i));
  EXPECT_GE(count(), 511);
  EXPECT_EQ(find_case(first, cases_directory()).code, "1k2z9");
  // And what this process has printed is there as long as it runs.
  for (const auto& entry : std::filesystem::directory_iterator(directory)) make_old(entry.path());
  keep("1k");
  EXPECT_EQ(find_case(first, cases_directory()).code, "1k2z9");
  EXPECT_EQ(find_case(id, cases_directory()).code, "1k2z209");
  EXPECT_LE(count(), 200 + 212);
}

std::size_t files_in_cases() {
  std::error_code none;
  std::size_t files = 0;
  for (std::filesystem::directory_iterator at(cases_directory(), none), end; !none && at != end;
       at.increment(none))
    ++files;
  return files;
}

Report report_of_wrong_operator(const char* name) {
  const OpSpec wrong = wrong_operator();
  ChoiceDraw draw{Choices{}};
  const OpCase one = wrong.draw(draw);
  const Tensor x = make_tensor({0.5, -1}, {2}, kFloat64).requires_grad_(true);
  return check([&](const Tensor& at) { return one.call({at}); }, {x}, {.name = name});
}

TEST(CaseFiles, CallsThatNobodyWillSeeOneByOneLeaveNoneAndPrintNone) {
  const CaseFolder kept;
  {
    const Unrepeated unrepeated;
    const Report report = report_of_wrong_operator("mine");
    EXPECT_FALSE(report.ok());
    EXPECT_THAT(report.text(), Not(HasSubstr("replay")));
  }
  EXPECT_EQ(files_in_cases(), 0U);
  EXPECT_THAT(report_of_wrong_operator("mine").text(), HasSubstr("NOTAPE_CASE="));
  EXPECT_EQ(files_in_cases(), 1U);
}

TEST(CaseFiles, CalibrationLeavesNone) {
  const CaseFolder kept;
  const Said said = say({"calibrate", "softplus_threshold", "--seeds", "1", "--quiet"}, {});
  EXPECT_THAT(said.out, HasSubstr("3 of 3 wrong trials found")) << said.err;
  EXPECT_EQ(files_in_cases(), 0U) << said.out << said.err;
}

/// $NOTAPE_CASE in the life of this object.
struct WantedCase {
  explicit WantedCase(const char* id) { ::setenv("NOTAPE_CASE", id, 1); }
  ~WantedCase() { ::unsetenv("NOTAPE_CASE"); }
  WantedCase(const WantedCase&) = delete;
  WantedCase& operator=(const WantedCase&) = delete;
};

TEST(CaseFiles, AnEnvironmentThatNamesNoCaseIsAnError) {
  const CaseFolder kept;
  for (const char* id : {"nonsense", "ct6kj8s7re6", "ct6kj8s7re6qq", "CT6KJ8S7RE6Q", "1k2z9"}) {
    const WantedCase wanted(id);
    EXPECT_THROW(report_of_wrong_operator("mine"), BadCase) << id;
    const OpSpec right = right_operator();
    const Said said = say({"list"}, {&right});
    EXPECT_EQ(said.code, 2) << id;
    EXPECT_THAT(said.err, AllOf(HasSubstr("NOTAPE_CASE: '"), HasSubstr(id)));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  {
    const WantedCase unknown("ct6kj8s7re6q");
    EXPECT_THROW(report_of_wrong_operator("mine"), BadCase);
  }
  const WantedCase empty("");
  EXPECT_FALSE(report_of_wrong_operator("mine").ok());
}

TEST(CaseFiles, ACaseOfAnotherVersionIsAnErrorAndNotAnotherRun) {
  const CaseFolder kept;
  const SavedCase old{.op = "mine", .dtype = "float64", .device = "cpu", .code = "0of long ago"};
  keep_cases({old});
  const WantedCase wanted(old.id().c_str());
  EXPECT_THROW(report_of_wrong_operator("mine"), BadCase);
}

}  // namespace
}  // namespace notape::verify
