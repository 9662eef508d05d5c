// `notape verify models`: every model of the benchmark has the gradient that the Taylor test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "paper_examples/models/workload.h"

namespace notape {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Said {
  int status = -1;
  std::string text;
};

Said verify_models(const std::string& words) {
  Said said;
  std::FILE* const pipe = popen((NOTAPE_COMMAND " verify models " + words).c_str(), "r");
  char part[4096];
  for (std::size_t count; (count = std::fread(part, 1, sizeof(part), pipe)) > 0;)
    said.text.append(part, count);
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

TEST(VerifyModels, EveryModelPasses) {
  const Said said = verify_models("--seeds 1 --json 2>/dev/null");
  EXPECT_EQ(said.status, 0) << said.text;
  std::vector<std::string> names;
  for (const auto& one : nlohmann::json::parse(said.text)) {
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
  const Said said = verify_models("ncf --seed 7 --seeds 2 2>/dev/null");
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.text, AllOf(HasSubstr("verdict\nNCF               7 "),
                               HasSubstr("\nNCF               8 "), HasSubstr("PASS")));
}

TEST(VerifyModels, RefusesNamesThatThereAreNot) {
  const Said said = verify_models("alexnet2 2>&1");
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.text, HasSubstr("there is no model 'alexnet2': there are alexnet, vgg19"));
}

}  // namespace
}  // namespace notape
