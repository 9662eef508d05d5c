// `notape verify models`: every model of the benchmark has the gradient that the Taylor test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paper_examples/models/workload.h"
#include "paper_examples/testing/command.h"

namespace notape {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Outcome verify_models(const std::string& words) {
  return outcome_of(NOTAPE_COMMAND " verify models " + words);
}

TEST(VerifyModels, EveryModelPasses) {
  const Outcome said = verify_models("--seeds 1 --json");
  EXPECT_EQ(said.status, 0) << said.out;
  std::vector<std::string> names;
  for (const auto& one : nlohmann::json::parse(said.out)) {
    names.push_back(one["model"]);
    EXPECT_EQ(one["verdict"], "PASS") << one;
    EXPECT_GE(one["slope"], 1.9) << one;
    EXPECT_GE(one["levels"].size(), 5u) << one;
  }
  std::vector<std::string> all;
  for (const models::WorkloadKind& kind : models::workloads()) all.push_back(kind.name);
  EXPECT_EQ(names, all);
}

TEST(VerifyModels, SaysWhatItDidForEachSeed) {
  const Outcome said = verify_models("ncf --seed 7 --seeds 2");
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out, AllOf(HasSubstr("verdict\nNCF               7 "),
                              HasSubstr("\nNCF               8 "), HasSubstr("PASS")));
}

TEST(VerifyModels, RefusesNamesThatThereAreNot) {
  const Outcome said = verify_models("alexnet2");
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.error, HasSubstr("there is no model 'alexnet2': there are alexnet, vgg19"));
}

}  // namespace
}  // namespace notape
