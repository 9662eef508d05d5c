// The atlas: it agrees with itself, and says so when it does not.
#include "verify/command/subcommands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "verify/command/atlas_table.h"
#include "verify/command/session_test_helper.h"

namespace notape::verify::atlas {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Atlas, EveryFunctionAgreesWithItselfInEverySpelling) {
  const Said said = say({"atlas"}, op_specs());
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("0 disagreements, 0 kinks without a row"));
  EXPECT_GE(rows().size(), 30u);
  for (const Row& row : rows())
    for (const Spelling& spelling : row.spellings)
      EXPECT_NO_THROW(find_op_spec(spelling.op)) << row.function << ": " << spelling.op;
}

TEST(Atlas, PrintsTheConventionWithLibTorchsBesideIt) {
  const Said said = say({"atlas", "where"}, op_specs());
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("max(x, 0)"), HasSubstr("R3"), HasSubstr("clamp: 1, maximum: 1/2"),
                    HasSubstr("maximum(x, constant 0)"), HasSubstr("known divergences"),
                    Not(HasSubstr("logsumexp"))));
}

Row row_of(std::vector<Spelling> spellings, Numbers first) {
  return pointwise("test", "f", Rule::R3, {0, 1}, {0, 1}, {std::move(first)}, std::move(spellings));
}

std::size_t findings_of(const Row& row) { return survey({&row}, {}).findings.size(); }

const Spelling kRelu{"relu", "relu", [](const Tensor& x) { return relu(x); }};
const Spelling kOther{"where(x >= 0, x, 0)", "where",
                      [](const Tensor& x) { return where(x >= 0, x, 0); }};

TEST(Atlas, ASpellingWithAnotherConventionIsADisagreement) {
  EXPECT_EQ(findings_of(row_of({kRelu}, {0, 1})), 0u);
  EXPECT_GT(findings_of(row_of({kRelu, kOther}, {0, 1})), 0u);
}

TEST(Atlas, AConventionOtherThanTheRowsIsADisagreement) {
  EXPECT_GT(findings_of(row_of({kRelu}, {1, 1})), 0u);
  EXPECT_GT(findings_of(row_of({kOther}, {0, 1})), 0u);
}

TEST(Atlas, WhatDependsOnTheLayoutOrThrowsIsADisagreement) {
  const Spelling layouts{"layouts", "relu", [](const Tensor& x) {
                           return x.is_contiguous() ? relu(x) : relu(x) + 0x1p-52;
                         }};
  EXPECT_GT(findings_of(row_of({layouts}, {0, 1})), 0u);
  const Spelling raises{"raises", "relu", [](const Tensor& x) { return x.view({7}); }};
  const Row row = row_of({raises}, {0, 1});
  EXPECT_THAT(survey({&row}, {}).findings.at(0).text, HasSubstr("raises in float64"));
}

TEST(Atlas, ARegisteredKinkWithoutARowIsExitCode1) {
  OpSpec spec = right_operator();
  const auto draw = spec.draw;
  spec.name = "hinge";
  spec.draw = [draw](Draw& source) {
    OpCase one = draw(source);
    one.arguments[0].domain.kinks = {1};
    return one;
  };
  const Said said = say({"atlas", "--quiet"}, {&spec});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, AllOf(HasSubstr("NO ROW: hinge"), HasSubstr(" 1 kink without a row"),
                              Not(HasSubstr("one-sided"))));
}

TEST(Atlas, BadUsageIsExitCode2) {
  EXPECT_EQ(say({"atlas", "nothing_of_that_name"}, op_specs()).code, 2);
  EXPECT_EQ(say({"atlas", "--format", "xml", "--out", "x"}, op_specs()).code, 2);
  EXPECT_EQ(say({"atlas", "--format", "json"}, op_specs()).code, 2);
  EXPECT_EQ(say({"atlas", "--help"}, op_specs()).code, 0);
}

TEST(Atlas, AnUnknownOperatorGetsASuggestionAlsoBesideAKnownOne) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"atlas", "tahnh"}, {"atlas", "relu", "tahnh"}}) {
    const Said said = say(words, op_specs());
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, HasSubstr("did you mean 'tanh'? `notape verify list` shows all"));
  }
  EXPECT_THAT(say({"atlas", "plugin:x.so"}, op_specs()).err,
              HasSubstr("'plugin:x.so': `notape verify atlas` is for built-in operators only"));
}

TEST(Atlas, WritesJsonAndMarkdown) {
  const notape::testing::TemporaryFolder folder;
  const std::string out = folder.path().string();
  ASSERT_EQ(say({"atlas", "relu", "--out", out}, op_specs()).code, 0);
  std::ifstream json(out + "/atlas.json"), markdown(out + "/atlas.md");
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed["schema"], "notape.atlas/1");
  EXPECT_TRUE(parsed["cpu"].is_string());
  EXPECT_EQ(parsed["rows"][0]["reverse"][0], nlohmann::json({0, 0, 1, 0}));
  std::stringstream text;
  text << markdown.rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("| max(x, 0) | -0 | R3 | 0 | 0 | 0 | 0 |"),
                                HasSubstr("## one-sided bounds")));
}

}  // namespace
}  // namespace notape::verify::atlas
