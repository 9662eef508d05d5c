// What reaches a terminal, and what happens when nothing does.
#include "verify/command/complaint.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

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

TEST(Complaint, ALongWordIsNotEchoed) {
  const OpSpec right = right_operator();
  const std::string word(100'000, 'a'), brief = std::string(60, 'a') + "... (100000 bytes)";
  const std::vector<std::vector<std::string>> calls = {{word},
                                                       {"--dtype", word},
                                                       {"--dtype=" + word},
                                                       {"--check", "value," + word},
                                                       {"--samples", word},
                                                       {"--device", word},
                                                       {"--" + word},
                                                       {"changed:" + word},
                                                       {"plugin:" + word},
                                                       {"--out", word},
                                                       {"explain", word},
                                                       {"alias", "--policy", word},
                                                       {"mutate", "--seed", word},
                                                       {"atlas", word}};
  for (const auto& words : calls) {
    const Said said = say(words, {&right});
    EXPECT_EQ(said.code, 2) << words[0].substr(0, 20);
    EXPECT_THAT(said.err, HasSubstr("bytes)")) << words[0].substr(0, 20);
    EXPECT_LT(said.err.size(), 1500u) << words[0].substr(0, 20);
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1);
  }
  EXPECT_THAT(say({word}, {&right}).err, HasSubstr("'" + brief + "'"));
}

TEST(Complaint, WhatActsOnATerminalIsShownInstead) {
  const OpSpec right = right_operator();
  const std::string evil = "\x1b]0;owned\a\u202e\xff";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{evil}, {"--dtype", evil}, {"explain", evil}}) {
    const Said said = say(words, {&right});
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, AllOf(HasSubstr("\\x1b]0;owned\\x07\\u{202e}\\xff"),
                                Not(HasSubstr("\x1b")), Not(HasSubstr("\xff"))));
  }
}

/// Certificates of a wrong operator in which every text that can hold anything does.
std::string evil_bundle(const std::string& evil) {
  const OpSpec spec = wrong_operator();
  Certificate certificate{.spec = &spec, .check = "reverse", .verdict = Verdict::Fail, .cases = 1};
  certificate.detail = evil;
  certificate.failure = Exhibit{.outcome = {.message = evil}};
  certificate.failure->label = certificate.failure->code = certificate.failure->outcome.blame =
      certificate.failure->outcome.reason = evil;
  certificate.failure->outcome.guilty = Guilty{evil, 1, 2, 3};
  Record record = record_of(certificate);
  for (std::string* text : {&record.op, &record.family, &record.file, &record.replay, &record.check,
                            &record.device, &record.order})
    *text += evil;
  record.plugin = evil;
  record.environment.emplace_back(evil, evil);
  record.id = record.op + "/" + record.check + "/float64/" + record.device;
  return certificate_json(record) + "\n";
}

TEST(Complaint, NothingInAFileOfCertificatesReachesATerminalOrAReport) {
  const TemporaryFolder folder;
  const std::string evil = "\x1b[2J\u009b\u202e|<script>&\"'`]]>\r\x01";
  folder.write("x.jsonl", evil_bundle(evil));
  const std::string path = folder / "x.jsonl";
  std::vector<std::vector<std::string>> calls = {
      {"explain", path}, {"diff", path, path}, {"replay", path}};
  for (const char* format : {"json", "junit", "sarif", "markdown", "github", "html"})
    calls.push_back({"render", path, "--format", format});
  for (const auto& words : calls) {
    SCOPED_TRACE(words[0] + (words.size() > 3 ? words[3] : ""));
    const Said said = say(words, {});
    for (const char* forbidden : {"\x1b", "\u009b", "\u202e", "\r", "\x01"}) {
      EXPECT_THAT(said.out, Not(HasSubstr(forbidden)));
      EXPECT_THAT(said.err, Not(HasSubstr(forbidden)));
    }
    if (words[0] != "replay" && words[0] != "diff") {
      EXPECT_EQ(said.code, 0) << said.err;
      EXPECT_THAT(said.out, HasSubstr("x1b[2J"));
    }
  }
  for (const char* format : {"html", "junit"})
    EXPECT_THAT(say({"render", path, "--format", format}, {}).out, Not(HasSubstr("<script>&")));
}

TEST(Complaint, SuggestionsAreForWordsOfWhichMostIsRight) {
  const OpSpec right = right_operator(), other = named("log_softmax", right),
               tiny = named("mm", right);
  const auto suggestion = [&](const std::string& word) {
    const std::string text = say({word}, {&right, &other, &tiny}).err;
    const std::size_t at = text.find("did you mean '");
    return at == text.npos ? "" : text.substr(at + 14, text.find('\'', at + 14) - at - 14);
  };
  EXPECT_EQ(suggestion("rihgt"), "right") << "two letters swapped are one mistake";
  EXPECT_EQ(suggestion("rixxt"), "") << "2 of 5 letters are wrong";
  EXPECT_EQ(suggestion("rigt"), "right");
  EXPECT_EQ(suggestion("log_sotfmax"), "log_softmax");
  EXPECT_EQ(suggestion("logsoftmx"), "log_softmax");
  EXPECT_EQ(suggestion("mmm"), "mm");
  EXPECT_EQ(suggestion("m"), "") << "no letter need be right";
  for (const char* word : {"", "zz", "xyzzy", "wibble", "fright_night"})
    EXPECT_EQ(suggestion(word), "") << word;
}

TEST(Complaint, NumbersThatMakeNoSenseAreNamedWithWhatIsAllowed) {
  const OpSpec right = right_operator();
  const struct {
    std::vector<std::string> words;
    const char* said;
  } calls[] = {
      {{"--power", "nan"}, "--power: 'nan' is no number from 1e-300 to 1"},
      {{"--power", "inf"}, "--power: 'inf'"},
      {{"--power", "1e99"}, "--power: '1e99'"},
      {{"--power", "float64=-1"}, "--power: '-1'"},
      {{"--power", "1e-11x"}, "--power: '1e-11x'"},
      {{"--power", "float64="}, "--power: ''"},
      {{"--samples", "-3"}, "--samples: '-3' is no whole number from 1 to 1000000000"},
      {{"--samples", "1e3"}, "--samples: '1e3'"},
      {{"--samples", "99999999999999999999"}, "--samples"},
      {{"--seed", "-1"}, "--seed: '-1'"},
      {{"--seed", "18446744073709551616"}, "--seed"},
      {{"--order", "nan"}, "--order: 'nan' is no whole number from 1 to 3"},
      {{"--jobs", "0"}, "--jobs: '0' is no whole number from 1 to 256"},
      {{"--threads", "257"}, "--threads: '257'"},
      {{"--budget", "nan"}, "--budget: 'nan'"},
      {{"--budget", "-5m"}, "--budget: '-5m'"},
      {{"--timeout", "nan"}, "--timeout: 'nan' is no number from 0.001 to 1000000"},
      {{"--memory", "1e99"}, "--memory: '1e99'"},
      {{"alias", "--programs", "18446744073709551615"}, "--programs: '18446744073709551615'"},
      {{"alias", "--programs", "0"}, "--programs: '0' is no whole number from 1 to"},
      {{"alias", "--threads", "65"}, "--threads: '65' is no whole number from 1 to 64"},
      {{"alias", "--max-false-rejections", "nan"}, "--max-false-rejections: 'nan'"},
      {{"alias", "--max-false-rejections", "101"}, "from 0 to 100"},
      {{"mutate", "--min-score", "nan"}, "--min-score: 'nan' is no number from 0 to 1"},
      {{"mutate", "--samples", "0"}, "--samples: '0'"},
  };
  for (const auto& call : calls) {
    const Said said = say(call.words, {&right});
    EXPECT_EQ(said.code, 2) << call.said;
    EXPECT_THAT(said.err, AllOf(StartsWith("notape verify: "), HasSubstr(call.said)));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_THAT(said.out, IsEmpty());
  }
  const Said said = say({}, {&right}, "seed=soon");
  EXPECT_THAT(said.err, HasSubstr("RC_PARAMS seed: 'soon'"));
}

TEST(Complaint, OutputThatCannotBeWrittenIsExitCode2) {
  std::FILE *full = std::fopen("/dev/full", "w"), *err = std::tmpfile();
  if (!full) GTEST_SKIP() << "no /dev/full";
  const OpSpec right = right_operator();
  for (const auto& words : {std::vector<std::string>{"list"}, {"--help"}, {"--samples", "1"}}) {
    std::rewind(err);
    ASSERT_EQ(::ftruncate(::fileno(err), 0), 0);
    EXPECT_EQ(run_session(words, {{&right}, full, err}), 2);
    EXPECT_THAT(contents(err),
                HasSubstr("notape verify: standard output cannot be written: No space left"));
  }
  std::fclose(full);
  std::fclose(err);
}

TEST(Complaint, AReaderThatWantsNoMoreIsNoError) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // as for children of some programs
  const OpSpec right = right_operator();
  for (const auto& words : {std::vector<std::string>{"list"}, {"--help"}, {"--samples", "1"}}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    std::FILE *out = ::fdopen(ends[1], "w"), *err = std::tmpfile();
    EXPECT_EQ(run_session(words, {{&right}, out, err}), 128 + SIGPIPE);
    EXPECT_EQ(contents(err), "");
    std::fclose(out);
    std::fclose(err);
  }
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace notape::verify
