// `notape verify alias` as its user sees it: what it prints, writes and returns.
#include "verify/command/subcommands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "verify/command/session.h"

namespace notape::verify::alias {
namespace {

using ::testing::HasSubstr;

struct Ran {
  int code;
  std::string out, err;
};

Ran run(std::vector<std::string> words) {
  char *out_text = nullptr, *err_text = nullptr;
  std::size_t out_size = 0, err_size = 0;
  std::FILE *out = open_memstream(&out_text, &out_size),
            *err = open_memstream(&err_text, &err_size);
  words.insert(words.begin(), "alias");
  Ran ran{run_session(words, {{}, out, err}), "", ""};
  std::fclose(out);
  std::fclose(err);
  ran.out = out_text;
  ran.err = err_text;
  std::free(out_text);
  std::free(err_text);
  return ran;
}

TEST(AliasCommand, ReportsATableAndReturnsZero) {
  const Ran ran = run({"--programs", "500", "--seed", "3"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("silently wrong"));
  EXPECT_THAT(ran.out, HasSubstr("500 programs"));
  EXPECT_THAT(ran.out, HasSubstr("seed 3"));
  EXPECT_THAT(ran.err, HasSubstr("% done")) << "progress";
}

TEST(AliasCommand, AFaultIsShownAsAProgramWithItsReplay) {
  const Ran ran = run({"--programs", "500", "--seed", "3", "--fault", "no-version-check"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("int main()"));
  const std::string word = "--replay ";
  const auto at = ran.out.find(word);
  ASSERT_NE(at, std::string::npos);
  std::istringstream rest(ran.out.substr(at + word.size()));
  std::string seed;
  rest >> seed;
  const Ran again = run({"--replay", seed, "--fault", "no-version-check"});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.out, HasSubstr("--replay " + seed));
  EXPECT_EQ(run({"--replay", seed}).code, 0) << "the fault was the reason";
}

TEST(AliasCommand, WritesJson) {
  const std::string directory = ::testing::TempDir() + "notape_alias_json";
  EXPECT_EQ(run({"--programs", "200", "--format", "json", "--out", directory, "--quiet"}).code, 0);
  std::ifstream file(std::filesystem::path(directory) / "alias.json");
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json["programs"], 200);
  EXPECT_EQ(json["outcomes"]["silently wrong"], 0);
  std::filesystem::remove_all(directory);
}

TEST(AliasCommand, MoreFalseRejectionsThanAllowedAreFive) {
  EXPECT_EQ(run({"--programs", "500", "--seed", "3", "--max-false-rejections", "1"}).code, 5);
  EXPECT_EQ(run({"--programs", "500", "--seed", "3", "--max-false-rejections", "40"}).code, 0);
}

TEST(AliasCommand, EmitsPlainProgramsWithWhatBecameOfThem) {
  const Ran ran = run({"--emit", "200", "--seed", "3"});
  EXPECT_EQ(ran.code, 0);
  std::istringstream lines(ran.out);
  int accepted = 0, refused = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_GE(json["statements"].size(), 5u);
    (json["library"].contains("error") ? refused : accepted)++;
  }
  EXPECT_EQ(accepted + refused, 200);
  EXPECT_GT(accepted, 60);
  EXPECT_GT(refused, 20);
}

TEST(AliasCommand, BadUsageIsOneLineAndTwo) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--programs", "0"},
                                             {"--programs", "many"},
                                             {"--policy", "none"},
                                             {"--field", "f16"},
                                             {"--replay", "-1"},
                                             {"--format", "xml"},
                                             {"--format", "json"},
                                             {"unheard"},
                                             {"--fault", "bad"},
                                             {"--threads", "0"},
                                             {"--emit", "0"},
                                             {"--max-false-rejections", "few"},
                                             {"--seed", "x"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[0];
    EXPECT_THAT(ran.err, HasSubstr("notape verify: "));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_THAT(run({"--help"}).out, HasSubstr("notape verify alias --replay"));
}

}  // namespace
}  // namespace notape::verify::alias
