// `notape verify engines --json`, and what NOTAPE_CUDNN_ENGINES makes of it, on the emulated GPU
// with an algorithm that is planted wrong.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "paper_examples/testing/command.h"

namespace notape {
namespace {

const std::string kWrongOne = "NOTAPE_CUDA=emulated NOTAPE_EMULATED_WRONG_ALGORITHM=1 ";
const std::string kSmall = "1x1x4x4,1x1x1x1";

struct EnginesTest : ::testing::Test {
  void SetUp() override {
    if (outcome_of(kWrongOne + NOTAPE_COMMAND " verify engines --problem " + kSmall).status == 5)
      GTEST_SKIP() << "no emulated GPU";
  }
  void TearDown() override { std::filesystem::remove(file); }
  const std::string file = std::filesystem::temp_directory_path() /
                           ("notape_engines_" + std::to_string(::getpid()) + ".json");
};

TEST_F(EnginesTest, HaveARowForEachProblemAndCanRestrictConvolutions) {
  const Outcome said = outcome_of(kWrongOne + NOTAPE_COMMAND " verify engines --json " + file +
                                  " --problem 2x3x8x9,4x3x3x2,2x1,1 --problem " + kSmall);
  EXPECT_EQ(said.status, 1) << said.error;
  std::ifstream in(file);
  const nlohmann::json census = nlohmann::json::parse(in);
  std::set<std::string> problems;
  int passed = 0, failed = 0, refused = 0;
  for (const nlohmann::json& row : census["rows"]) {
    const bool is_wrong = row["algorithm"] == "1" && row["verdict"] != "refused";
    EXPECT_EQ(row["verdict"] == "fail", is_wrong) << row;
    problems.insert(row["problem"]);
    passed += row["verdict"] == "pass";
    failed += row["verdict"] == "fail";
    refused += row["verdict"] == "refused";
  }
  EXPECT_GT(passed, 10);
  EXPECT_GT(failed, 10);
  EXPECT_GT(refused, 10);
  EXPECT_EQ(problems, (std::set<std::string>{"1x1x4x4,1x1x1x1,1x1,0x0,1x1,1",
                                             "2x3x8x9,4x3x3x2,2x1,1x1,1x1,1"}));
  // The wrong algorithm is cuDNN's favourite; with the file convolutions are right again.
  const std::string check = NOTAPE_COMMAND " verify --device cuda --samples 1 --check value conv2d";
  EXPECT_EQ(outcome_of(kWrongOne + check).status, 1);
  const Outcome right = outcome_of("NOTAPE_CUDNN_ENGINES=" + file + " " + kWrongOne + check);
  EXPECT_EQ(right.status, 0) << right.out;
  EXPECT_NE(outcome_of("NOTAPE_CUDNN_ENGINES=/nowhere " + kWrongOne + check).status, 0);
}

TEST_F(EnginesTest, RefuseProblemsThatAreNone) {
  for (const char* wrong : {"2x3x8,4x3x3x2", "2x3x8x9", "2x3x8x9,4x3x3xa", "1,2,3,4,5,6,7"})
    EXPECT_EQ(outcome_of(kWrongOne + NOTAPE_COMMAND " verify engines --problem " + wrong).status, 2)
        << wrong;
}

}  // namespace
}  // namespace notape
