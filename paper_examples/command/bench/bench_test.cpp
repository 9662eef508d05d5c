// `notape bench` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "paper_examples/testing/command.h"

namespace notape {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct BenchCommand : CommandTest {
  Outcome run(const std::string& words) const { return CommandTest::run("bench " + words); }
  Outcome table1(const std::string& words) const {
    return run("table1 --scale tiny --batch 4 --threads 1 --steps 2 --repeats 3 " + words);
  }
  /// A program that acts as a Python with PyTorch: its steps take half a second each.
  std::string python_with(const std::string& name, const std::string& units) const {
    return program(
        name,
        "printf 'ready\\tPyTorch 9, a shell\\n'\nwhile read -r a n; do case $a in\n"
        "steps) echo $n | awk '{ print $1 / 2 }';; memory) echo 3000000;; cpu) echo 2;;\n"
        "lengths) told=$n; echo 5;;\nunits) echo " +
            units + ";; esac; done\n");
  }
};

TEST_F(BenchCommand, C46_TrainsModelsInTurnWithAnotherLibrary) {
  const Outcome outcome = table1("--models ncf --json --torch-python " + python_with("slow", "4"));
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  const auto row = nlohmann::json::parse(outcome.out)["rows"][0];
  EXPECT_EQ(row["units_per_step"], 4);
  const auto &ours = row["ours"], other = row["others"][0];
  EXPECT_EQ(other["name"], "PyTorch 9, a shell");
  ASSERT_EQ(other["seconds"], nlohmann::json({1., 1., 1.}));
  EXPECT_EQ(other["rate"]["median"], 8);
  EXPECT_EQ(other["rate"]["sd"], 0);
  ASSERT_EQ(ours["seconds"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const double rate = 4 * 2 / ours["seconds"][i].get<double>();
    EXPECT_NEAR(ours["rate"]["values"][i], rate, 1e-9 * rate);
    EXPECT_NEAR(other["ours_to_this"]["values"][i], rate / 8, 1e-9 * rate);
  }
  EXPECT_GT(ours["peak_bytes"], 1'000'000);
  EXPECT_GT(row["step"]["operator_calls"], 20);
}

/// Batches of like lengths take turns; another library is told the lengths.
TEST_F(BenchCommand, SentencesAreAsLongAsVersesForBothLibraries) {
  const std::string python =
      python_with("told", "$(printf '%s' \"$told\" >" + path("told.txt") + "; echo 1)");
  const Outcome outcome =
      table1("--models gnmt_verses --json --torch-python " + python + " --warmup 1");
  const auto row = nlohmann::json::parse(outcome.out)["rows"][0];
  if (row["ours"].contains("reason")) GTEST_SKIP() << row["ours"]["reason"];
  EXPECT_EQ(row["steps"], 5) << "one of each";
  EXPECT_GT(row["units_per_step"], 4 * 10);
  const std::string told = trace::read_file(path("told.txt"));
  EXPECT_EQ(std::count(told.begin(), told.end(), ' '), 4) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), ':'), 5 * 4) << told;
}

TEST_F(BenchCommand, RatingsMayBeShuffledInEveryStep) {
  const Outcome outcome = table1("--models ncf_sampling --json");
  ASSERT_EQ(outcome.status, 0) << outcome.error;
  const auto row = nlohmann::json::parse(outcome.out)["rows"][0];
  EXPECT_EQ(row["units_per_step"], 5) << "a rating and four others";
}

TEST_F(BenchCommand, C47_ThePapersClaimIsComputedFromItsTable) {
  const Outcome outcome = table1("--models ncf --json");
  const auto gaps = nlohmann::json::parse(outcome.out)["paper_gaps_percent"];
  EXPECT_EQ(gaps["vgg19"], 0);
  EXPECT_EQ(gaps["ncf"], 0);
  EXPECT_NEAR(gaps["alexnet"], -0.45, 0.005);
  EXPECT_NEAR(gaps["resnet50"], -3.20, 0.005);
  EXPECT_NEAR(gaps["mobilenetv2"], -16.88, 0.005);
  for (const auto& [model, gap] : gaps.items()) EXPECT_GT(gap, -17) << model;
}

TEST(BenchRecords, C47_EachModelIsAtMost17PercentSlowerThanTheFastest) {
  for (const char* record : {"table1", "table1_two_threads"}) {
    std::ifstream file("bench/results/" + std::string(record) + ".json");
    ASSERT_TRUE(file) << "run from the source folder";
    const auto rows = nlohmann::json::parse(file)["rows"];
    EXPECT_GE(rows.size(), 6U);
    for (const auto& row : rows)
      for (const auto& other : row["others"])
        EXPECT_GE(other["ours_to_this"]["median"], 0.83)
            << row["model"] << " beside " << other["name"] << " in " << record;
  }
}

TEST_F(BenchCommand, SaysWhyALibraryHasNoNumbers) {
  const Outcome outcome =
      table1("--models ncf,gnmt --torch-python no-such-python-at-all --torch-python " +
             python_with("other", "5"));
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("not measured: NCF of no-such-python-at-all: no-such-python-at-all: "
                              "No such file or directory"),
                    HasSubstr("not measured: NCF of PyTorch 9, a shell: PyTorch 9, a shell: a "
                              "batch is not what ours is"),
                    HasSubstr("GNMTv2"), HasSubstr("-16.9 %")));
}

/// Of this process and those that it starts, so that no system promises what it has not.
struct AddressesUpTo {
  explicit AddressesUpTo(rlim_t bytes) {
    ::getrlimit(RLIMIT_AS, &before);
    const rlimit less{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_AS, &less);
  }
  ~AddressesUpTo() { ::setrlimit(RLIMIT_AS, &before); }
  rlimit before{};
};

TEST_F(BenchCommand, AModelThatCannotBeTrainedIsToldAndStatusOne) {
  const AddressesUpTo limit(rlim_t{64} << 30);
  const Outcome outcome = run(  // 825 GB of images
      "table1 --scale tiny --threads 1 --steps 1 --repeats 1 --models resnet50 --batch 16777216");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("not measured: ResNet-50 of notape: "));
}

TEST_F(BenchCommand, ADeviceThatIsNotThereIsRefusedInOneLine) {
  const Outcome outcome = table1("--models ncf --device cuda");
  if (outcome.status == 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.error, HasSubstr("device cuda:0 is not available"));
  EXPECT_EQ(outcome.out, "");
}

TEST_F(BenchCommand, ShowsRecordsAndSaysWhereItLooked) {
  EXPECT_THAT(run("dispatch").out, HasSubstr("DifferentiableAdd"));
  EXPECT_THAT(run("ops softmax").out, HasSubstr(" x"));
  const Outcome nowhere = run("dispatch --results no-such-folder");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_EQ(nowhere.error,
            "notape bench dispatch: no dispatch.json: looked in no-such-folder; ./run bench writes "
            "it, --results DIR says where\n");
  EXPECT_EQ(run("ops no-such-operator").status, 2);
}

TEST_F(BenchCommand, ShowsWhatIsSlowerAndEachMachine) {
  std::ofstream(path("side_by_side_avx2.json"))
      << R"({"cpu": "a", "date": "2026-11-29", "threads": 1, "summary": [], "libraries": ["L", "M"], "rows": [)"
         R"({"name": "even", "notape_ns": 1, "ratio_median": {"L": 1, "M": 2}},)"
         R"({"name": "slow", "notape_ns": 1, "ratio_median": {"L": 3, "M": 0.9}},)"
         R"({"name": "slowest", "notape_ns": 1, "ratio_median": {"L": 0.5, "M": 2}}]})";
  const Outcome slower = run("ops --slower --avx2 --results " + path(""));
  EXPECT_THAT(slower.out, ::testing::ContainsRegex("slowest .* 0.50 x .*\nslow .* 0.90 x\n$"));
  EXPECT_THAT(slower.out, Not(HasSubstr("even")));
  std::ofstream(path("machines.json"))
      << R"({"rows": [{"cpu": "a", "model": "family 6", "vectors": "AVX2", "threads": 2, "date": "2026-11-29",)"
         R"("short": {"cases": 3, "times_faster": {"L": 11.5, "M": 12}, "slower": 0},)"
         R"("long": {"cases": 5, "times_faster": {"L": 1.5, "M": 1.25}, "slower": 2}}]})";
  EXPECT_THAT(
      run("ops --machines --results " + path("")).out,
      ::testing::ContainsRegex("a, family 6 +AVX2 +2 2026-11-29 +11.50, 12.00 +1.50, 1.25 +2/5\n"));
}

}  // namespace
}  // namespace notape
