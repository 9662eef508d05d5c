// --shard, merge and --budget, as a user sees them.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>

#include "verify/command/session_test_helper.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string timeless(std::string text) {
  text = std::regex_replace(
      text, std::regex(" +[0-9]+\\.[0-9]+( s( \\([0-9]+ programs/s\\))?)?(?=[ ,\n(]|$)"), " T");
  return std::regex_replace(text, std::regex("\"seconds\":\\{[^}]*\\}"), "T");
}

class ShardsOfARun : public ::testing::Test {
 protected:
  Said run(std::vector<std::string> words) {
    return say(words, {&right_, &wrong_, &other_, &last_});
  }
  std::string path(const char* name) { return folder_ / name; }
  void run_shards(const std::vector<std::string>& words, int parts, const char* into) {
    for (int part = 1; part <= parts; ++part) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--shard", std::to_string(part) + "/" + std::to_string(parts), "--out",
                             path(into)});
      const Said said = run(all);
      EXPECT_EQ(said.code, 0) << said.err;
      EXPECT_THAT(said.out, HasSubstr("of its work done, in " + path(into) + "/shard-" +
                                      std::to_string(part)));
    }
  }

  const testing::TemporaryFolder folder_;
  const OpSpec right_ = right_operator(), wrong_ = wrong_operator(),
               other_ = named("other", right_), last_ = named("last", right_);
};

TEST_F(ShardsOfARun, MergedSayWhatOneRunSaysAndWriteWhatItWrites) {
  const Said whole = run({"--samples", "6", "--out", path("whole")});
  for (const int parts : {1, 3, 7}) {
    const std::string into = "parts" + std::to_string(parts);
    run_shards({"--samples", "6"}, parts, into.c_str());
    const Said merged = run({"merge", path(into.c_str()), "--out", path("merged")});
    EXPECT_EQ(merged.code, 1) << merged.err;
    EXPECT_EQ(timeless(merged.out), timeless(whole.out));
    EXPECT_EQ(timeless(bundle_text(path("merged/certificates.jsonl.gz"))),
              timeless(bundle_text(path("whole/certificates.jsonl.gz"))));
  }
  EXPECT_TRUE(std::filesystem::exists(path("merged/index.html")));
}

TEST_F(ShardsOfARun, ALostOneIsNamedWithTheLineThatRunsItAgain) {
  run_shards({"right", "o*", "last", "--samples", "6"}, 3, "parts");
  std::filesystem::remove(path("parts/shard-2-of-3.gz"));
  const Said merged =
      run({"merge", path("parts"), "--format", "markdown,json", "--out", path("report")});
  EXPECT_EQ(merged.code, 5);
  EXPECT_THAT(merged.out,
              AllOf(HasSubstr("2 operators, "), Not(HasSubstr("for want of time")),
                    EndsWith("shard 2/3 is lost; this runs it again: notape verify right 'o*' "
                             "last --samples 6 --shard 2/3 --out " +
                             path("parts") + "\n")));
  const auto records = read_bundle(path("report/certificates.jsonl.gz"));
  EXPECT_EQ(value_of(records[0].environment, "interrupted"), "the loss of shard 2/3");
  run({"right", "o*", "last", "--samples", "6", "--shard", "2/3", "--out", path("parts")});
  EXPECT_EQ(run({"merge", path("parts")}).code, 0);
}

TEST_F(ShardsOfARun, OfTwoCommandsOrTwiceOrNoneAreOneLineAndExitCode2) {
  run_shards({"right", "last", "--samples", "2"}, 2, "parts");
  run_shards({"right", "last", "--samples", "3"}, 2, "others");
  const auto complaint = [&](std::vector<std::string> words) {
    const Said said = run(words);
    EXPECT_EQ(said.code, 2) << said.out;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    return said.err;
  };
  EXPECT_THAT(complaint({"merge", path("parts"), path("others")}),
              HasSubstr("are shards of two commands: "));
  EXPECT_THAT(complaint({"merge", path("parts"), path("parts/shard-1-of-2.gz")}),
              HasSubstr("shard 1/2 is there twice"));
  EXPECT_THAT(complaint({"merge", path("nothing")}), HasSubstr("nothing"));
  std::filesystem::create_directory(path("empty"));
  EXPECT_THAT(complaint({"merge", path("empty")}), HasSubstr("there are no shards in"));
  folder_.write("shard-1-of-1.gz", "{}");
  EXPECT_THAT(complaint({"merge", path("shard-1-of-1.gz")}), HasSubstr("shard-1-of-1.gz"));
  EXPECT_THAT(complaint({"--shard", "3/2"}), HasSubstr("'3' is no whole number from 1 to 2"));
  EXPECT_THAT(complaint({"--seed", "fresh", "--shard", "1/2"}), HasSubstr("add --seed NUMBER"));
  EXPECT_THAT(complaint({"alias", "--shard", "1/2"}), HasSubstr("add --seed NUMBER"));
  EXPECT_THAT(complaint({"list", "--shard", "1/2"}), HasSubstr("no work that can be shared out"));
  EXPECT_THAT(complaint({"--shard", "1/2", "--format", "html"}),
              HasSubstr("a shard has no report"));
}

TEST_F(ShardsOfARun, WithABudgetNameWhatTheyDidNotReach) {
  run_shards({"right", "other", "last", "--samples", "200", "--budget", "0.001s"}, 1, "parts");
  const Said merged = run({"merge", path("parts")});
  EXPECT_THAT(merged.out,
              AllOf(HasSubstr("1 operator, "), HasSubstr("not run, for want of time: ")));
}

TEST_F(ShardsOfARun, ACrashIsTheSameVerdict) {
  const OpSpec crash = named("crash", operator_that([] { std::abort(); }));
  const SpecList specs = {&crash, &right_};
  const std::vector<std::string> words = {"--samples", "2", "--dtype", "float64"};
  const Said whole = say({"--samples", "2", "--dtype", "float64", "--jobs", "1"}, specs);
  say({"--samples", "2", "--dtype", "float64", "--shard", "1/1", "--out", path("parts")}, specs);
  const Said merged = say({"merge", path("parts")}, specs);
  EXPECT_EQ(merged.code, 6) << merged.err;
  EXPECT_EQ(timeless(merged.out), timeless(whole.out));
}

TEST_F(ShardsOfARun, ASaidOfCampaignsIsTheSame) {
  const std::vector<std::string> campaigns[] = {
      {"alias", "--programs", "700", "--seed", "3", "--quiet"},
      {"mutate", "right", "M0*", "--samples", "3", "--quiet"},
      {"calibrate", "gelu_tanh", "--seeds", "3", "--quiet"}};
  for (const auto& words : campaigns) {
    SCOPED_TRACE(words[0]);
    std::vector<std::string> alone = words;
    alone.insert(alone.end(), {"--jobs", "1"});
    const Said whole = run(alone);
    run_shards(words, 3, words[0].c_str());
    const Said merged = run({"merge", path(words[0].c_str())});
    EXPECT_EQ(merged.code, whole.code) << merged.err;
    EXPECT_EQ(timeless(merged.out), timeless(whole.out));
  }
}

TEST_F(ShardsOfARun, ACampaignWithABudgetSaysInOneLineHowFarItCame) {
  const Said said =
      run({"alias", "--programs", "1000000", "--seed", "3", "--quiet", "--budget", "0.2s"});
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_THAT(said.out,
              ::testing::ContainsRegex(
                  "\n--budget 0.2s was enough for [0-9]+ of [0-9]+ parts of the work: what is "
                  "said above is of these\n$"));
}

}  // namespace
}  // namespace notape::verify
