// SIGINT and SIGTERM during a run: what was found is reported, and earlier results stay.
#include "verify/processes/interruption.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "verify/command/files.h"
#include "verify/command/session_test_helper.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using notape::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Sends a signal to this process a little after a run has begun to listen for it.
class Sender {
 public:
  explicit Sender(int signal)
      : thread_([this, signal] {
          while (!over_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            struct sigaction present {};
            ::sigaction(signal, nullptr, &present);
            if (present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN) continue;
            ::kill(::getpid(), signal);
            return;
          }
        }) {}
  ~Sender() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

/// A shell starts what it runs in the background with signals ignored, and runs keep to that.
class Interrupted : public ::testing::Test {
 protected:
  Interrupted() {
    for (const int number : {SIGINT, SIGTERM}) ::signal(number, SIG_DFL);
  }
};

OpSpec operator_that_is_interrupted(int signal) {
  return named("slow", operator_that([signal] { ::raise(signal); }));
}

TEST_F(Interrupted, ARunTellsWhatItHasAndLeavesTheOldFilesAlone) {
  const TemporaryFolder folder;
  const OpSpec right = right_operator(), wrong = wrong_operator();
  ASSERT_EQ(say({"--out", folder / "report"}, {&right}).code, 0);
  const std::string before = text_in(folder / "report/certificates.jsonl.gz"),
                    page = text_in(folder / "report/index.html");
  const std::pair<int, int> signals[] = {{SIGINT, 130}, {SIGTERM, 143}};
  for (const auto& [signal, code] : signals) {
    const OpSpec slow = operator_that_is_interrupted(signal);
    const Said said = say({"--out", folder / "report"}, {&wrong, &slow, &right});
    EXPECT_EQ(said.code, code) << said.err;
    const std::string how = signal == SIGINT ? "SIGINT" : "SIGTERM";
    EXPECT_THAT(said.out,
                AllOf(HasSubstr("interrupted by " + how + " after 1 of 3 operators"),
                      HasSubstr("FAIL: wrong/reverse in float64"), HasSubstr("1 operator, ")));
    EXPECT_EQ(text_in(folder / "report/certificates.jsonl.gz"), before);
    EXPECT_EQ(text_in(folder / "report/index.html"), page);
    const auto records = read_bundle(folder / "report/certificates.interrupted.jsonl.gz");
    EXPECT_FALSE(records.empty());
    for (const Record& record : records) {
      EXPECT_EQ(record.op, "wrong");
      EXPECT_EQ(value_of(record.environment, "interrupted"), how + " after 1 of 3 operators");
    }
    for (const char* name : {"index.interrupted.html", "summary.interrupted.md",
                             "junit.interrupted.xml", "verify.interrupted.sarif"})
      EXPECT_THAT(text_in(folder / (std::string("report/") + name)),
                  HasSubstr("nterrupted by " + how))
          << name;
  }
  ASSERT_EQ(say({"--out", folder / "report"}, {&right}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "report/certificates.interrupted.jsonl.gz"))
      << "a complete run is newer than what an interrupted one left";
}

TEST_F(Interrupted, ARunThatHasNothingToTellLeavesNoEmptyDirectory) {
  const TemporaryFolder folder;
  const OpSpec slow = operator_that_is_interrupted(SIGINT), right = right_operator();
  EXPECT_EQ(say({"--out", folder / "new"}, {&slow, &right}).code, 130);
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  std::filesystem::create_directory(folder / "old");
  EXPECT_EQ(say({"--out", folder / "old"}, {&slow, &right}).code, 130);
  EXPECT_TRUE(std::filesystem::exists(folder / "old")) << "it was there before";
}

TEST_F(Interrupted, AFailureFoundInTheLastOperatorIsToldAlthoughItWasNotFinished) {
  int calls = 0;
  OpSpec wrong = wrong_operator();
  wrong.draw = [&calls, draw = wrong.draw](Draw& choices) {
    if (++calls == 40) ::raise(SIGINT);
    return draw(choices);
  };
  const Said said = say({"--samples", "500"}, {&wrong});
  EXPECT_EQ(said.code, 130);
  EXPECT_THAT(said.out, AllOf(HasSubstr("interrupted by SIGINT after 0 of 1 operators"),
                              HasSubstr("FAIL: wrong/reverse in float64")));
}

TEST_F(Interrupted, BeforeAnythingIsFinishedNoFilesAreWritten) {
  const TemporaryFolder folder;
  const OpSpec slow = operator_that_is_interrupted(SIGINT);
  const Said said = say({"--out", folder / "report"}, {&slow});
  EXPECT_EQ(said.code, 130);
  EXPECT_FALSE(std::filesystem::exists(folder / "report"));
}

TEST_F(Interrupted, WorkersAreGoneAndWhatTheyAnsweredIsTold) {
  const OpSpec right = right_operator();
  const OpSpec endless = named(
      "endless", operator_that([] { std::this_thread::sleep_for(std::chrono::seconds(100)); }));
  const Sender sender(SIGTERM);
  const auto start = std::chrono::steady_clock::now();
  const Said said = say({"--jobs", "2", "--samples", "2"}, {&right, &endless});
  EXPECT_EQ(said.code, 143);
  EXPECT_THAT(said.out, HasSubstr("interrupted by SIGTERM after "));
  EXPECT_THAT(said.out, Not(HasSubstr("ERROR")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  errno = 0;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "there are children";
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(Interrupted, CampaignsTellHowFarTheyCame) {
  const TemporaryFolder folder;
  const OpSpec right = right_operator();
  const struct {
    std::vector<std::string> words;
    const char *file, *partial;
  } calls[] = {
      {{"alias", "--programs", "100000000"}, "alias.json", "alias.interrupted.json"},
      {{"alias", "--programs", "100000000", "--threads", "2"},
       "alias.json",
       "alias.interrupted.json"},
      {{"alias", "--programs", "100000000", "--jobs", "2"}, "alias.json", "alias.interrupted.json"},
      {{"mutate", "--samples", "1000000"}, "mutation.json", "mutation.interrupted.json"},
  };
  for (const auto& call : calls) {
    folder.write(call.file, "last night's");
    std::vector<std::string> words = call.words;
    words.insert(words.end(), {"--quiet", "--out", folder.path().string()});
    const Sender sender(SIGINT);
    const Said said = say(words, {&right});
    EXPECT_EQ(said.code, 130) << said.out << said.err;
    EXPECT_THAT(said.out, HasSubstr("interrupted by SIGINT after "));
    EXPECT_EQ(text_in(folder / call.file), "last night's");
    const auto json = nlohmann::json::parse(text_in(folder / call.partial));
    EXPECT_THAT(json.at("interrupted").get<std::string>(), HasSubstr("SIGINT after "));
  }
}

TEST_F(Interrupted, SignalsThatTheCallerIgnoresStayIgnored) {
  const auto before = ::signal(SIGINT, SIG_IGN);
  const OpSpec slow = operator_that_is_interrupted(SIGINT);
  EXPECT_EQ(say({"--samples", "1"}, {&slow}).code, 0);
  ::signal(SIGINT, before);
}

TEST_F(Interrupted, HandlersAreTheCallersAgainAfterwards) {
  const OpSpec right = right_operator();
  say({"--samples", "1"}, {&right});
  struct sigaction present {};
  ::sigaction(SIGINT, nullptr, &present);
  EXPECT_EQ(present.sa_handler, SIG_DFL);
  EXPECT_FALSE(Interruption::requested());
}

TEST_F(Interrupted, PartialResultsHaveNamesThatSaySo) {
  EXPECT_EQ(interrupted_name("a.b/certificates.jsonl.gz"), "a.b/certificates.interrupted.jsonl.gz");
  EXPECT_EQ(interrupted_name("fig1.json.gz"), "fig1.interrupted.json.gz");
  EXPECT_EQ(interrupted_name("x/plain"), "x/plain.interrupted");
}

}  // namespace
}  // namespace notape::verify
