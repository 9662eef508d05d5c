// The harness that plants mistakes: it finds what is wrong, lets be what is not, and says so.
#include <gmock/gmock.h>

#include <set>

#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "verify/command/session_test_helper.h"
#include "verify/mutate/kill_matrix.h"
#include "verify/mutate/report.h"
#include "verify/mutate/specimens.h"

namespace notape::verify::mutate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Mutant& mutant(std::string_view id) {
  for (const Mutant& one : all_mutants())
    if (one.id == id) return one;
  throw ValueError("no mutant {}", id);
}

Cell hunted(const char* name, std::string_view id, int samples = 30) {
  return hunt(find_op_spec(name), mutant(id), {.samples = samples});
}

SpecList everything() {
  SpecList all = op_specs();
  all.insert(all.end(), specimens().begin(), specimens().end());
  return all;
}

std::vector<const Mutant*> all_of_them() {
  std::vector<const Mutant*> all;
  for (const Mutant& one : all_mutants()) all.push_back(&one);
  return all;
}

TEST(Mutation, ASampleOfAllMistakesIsFoundAndRightOperatorsRaiseNoAlarm) {
  const KillMatrix matrix = fill_matrix(
      everything(), all_of_them(),
      {.hunt = {.seed = 1, .samples = 40}, .every = 12, .right_cases = 2, .library = true});
  EXPECT_GE(matrix.wrong(), 300);
  EXPECT_GE(matrix.score(), 0.99) << matrix_text(matrix);
  EXPECT_TRUE(matrix.baseline_is_complete()) << matrix_text(matrix);
  EXPECT_EQ(matrix.false_alarms.size(), 0u) << matrix_text(matrix);
}

TEST(Mutation, EveryMistakeIsPlantedSomewhereAndNamedOnce) {
  std::set<std::string> ids;
  for (const Mutant& one : all_mutants()) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_TRUE(std::any_of(all_checks().begin(), all_checks().end(),
                            [&](const Check& check) { return std::string(check.name) == one.leg; }))
        << one.id << " is meant for " << one.leg;
  }
  std::set<std::string> numbers;
  for (const std::string& id : ids) numbers.insert(id.substr(0, 3));
  for (const LibraryFault& fault : library_faults()) numbers.insert(fault.id);
  for (const LeftOut& one : left_out()) EXPECT_TRUE(numbers.insert(one.id).second) << one.id;
  EXPECT_EQ(numbers.size(), 67u);
}

TEST(Mutation, AWrongSignIsKilledByReverseInOneCase) {
  const Cell cell = hunted("tanh", "M02");
  EXPECT_EQ(cell.fate, Fate::Killed);
  EXPECT_EQ(cell.leg, "reverse");
  EXPECT_TRUE(cell.as_meant);
  EXPECT_LE(cell.cases, 3);
}

TEST(Mutation, SwappedGradientsOfASumAreNoMistake) {
  EXPECT_EQ(hunted("add", "M16").fate, Fate::Equivalent);
  EXPECT_EQ(hunted("sub", "M16").fate, Fate::Killed);
  EXPECT_EQ(hunted("softmax", "M16").fate, Fate::NotApplicable);
  EXPECT_EQ(hunted("stack", "M37").fate, Fate::NotApplicable);
  EXPECT_EQ(hunted("exp", "M64").fate, Fate::Equivalent);
}

/// An operator without a derivative.
OpSpec positive() {
  return named("positive", unary_mutant([](const variable_list& x) { return x[0] > 0; },
                                        [](const WideList& x) {
                                          return plain_map([](Wide a) { return Wide(a > 0); },
                                                           x[0]);
                                        }));
}

TEST(Mutation, OperatorsWithoutADerivativeHaveNoPlaceForMistakes) {
  EXPECT_EQ(hunt(positive(), mutant("M02"), {}).fate, Fate::NotApplicable);
  EXPECT_EQ(hunted("sign", "M02").fate, Fate::Equivalent) << "its derivative is zero";
}

/// Wrong by less than any check can see.
Mutant too_small() {
  return {.id = "M00",
          .what = "wrong beyond the last digit",
          .leg = "reverse",
          .plant = [](const Target&) -> Rules {
            return Rules{[](const Site& s, const Tensor& v) {
              return s.right.gradient(s.argument, s.x, v) * (1 + 0x1p-52);
            }};
          },
          .is_wrong = has_gradient};
}

TEST(Mutation, WhatNoCheckSeesSurvivesAndIsListed) {
  const Mutant tiny = too_small();
  const KillMatrix matrix = fill_matrix({&find_op_spec("exp")}, {&tiny, &mutant("M02")},
                                        {.hunt = {.samples = 3}, .library = false});
  EXPECT_EQ(matrix.killed(), 1);
  EXPECT_EQ(matrix.wrong(), 2);
  EXPECT_EQ(matrix.score(), 0.5);
  EXPECT_THAT(matrix_text(matrix), HasSubstr("SURVIVED M00 in exp"));
  EXPECT_THAT(matrix_json(matrix), HasSubstr("\"survivors\": [\n  {\"id\":\"M00\""));
}

TEST(Mutation, AMistakeThatOnlyAnotherCheckSeesIsMarked) {
  Mutant elsewhere = mutant("M02");
  elsewhere.leg = "no-grad";
  const KillMatrix matrix =
      fill_matrix({&find_op_spec("exp")}, {&elsewhere}, {.hunt = {.samples = 3}, .library = false});
  EXPECT_THAT(matrix_text(matrix), HasSubstr("1 only by reverse"));
}

TEST(Mutation, ARightOperatorThatAChecksFaultsIsAFalseAlarm) {
  OpSpec wrong = find_op_spec("exp");
  wrong.draw = [draw = wrong.draw](Draw& choices) {
    OpCase one = draw(choices);
    one.reference = find_op_spec("tanh").draw(choices).reference;
    return one;
  };
  EXPECT_EQ(false_alarms(wrong, {}, 3).front().check, std::string("value"));
  EXPECT_TRUE(false_alarms(find_op_spec("exp"), {}, 3).empty());
}

TEST(Mutation, AFalseAlarmIsToldInTwelveCharacters) {
  KillMatrix matrix;
  const std::string code(200, '1');
  matrix.false_alarms = {{&find_op_spec("exp"), "value", kFloat64, code, "wrong"}};
  const std::string id = case_of(matrix.false_alarms[0]).id(), text = matrix_text(matrix);
  EXPECT_EQ(id.size(), SavedCase::kMostCharacters);
  EXPECT_THAT(text, HasSubstr("FALSE ALARM: value of exp in float64, case " + id + ": wrong"));
  EXPECT_THAT(text, Not(HasSubstr(code)));
}

TEST(Mutation, SpecimensThatAreNotHeldToTheirLastPlacesSayWhy) {
  EXPECT_THAT(mutant_list({}), HasSubstr("the specimen 'gelu_by_erf' is not held to its last "
                                         "places: it is a composition, whose terms cancel"));
  for (const OpSpec* one : specimens()) {
    ChoiceDraw draw{Choices()};
    const OpCase drawn = one->draw(draw);
    if (std::string_view(one->family) == "elementwise") {
      EXPECT_TRUE(drawn.reference.is_elementwise) << one->name;
    }
  }
}

TEST(MutateCommand, EndsInTheScoreAndWritesJson) {
  const notape::testing::TemporaryFolder folder;
  const std::string out = folder.path().string();
  const Said said =
      say({"mutate", "tanh", "M02", "M12", "--format", "json", "--out", out}, op_specs());
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("2 of 2 wrong pairs killed: score 1.0000"));
  EXPECT_THAT(said.out, HasSubstr(" cases of 1 right operator; "));
  std::ifstream file(folder.path() / "mutation.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(json, HasSubstr("\"schema\": \"notape.mutation/1\""));
  EXPECT_THAT(json, HasSubstr("\"score\": 1.0"));
  EXPECT_THAT(json, HasSubstr("\"cpu\": \""));
}

TEST(MutateCommand, NothingWrongOrAMissedScoreIsExitFive) {
  const OpSpec spec = positive();
  EXPECT_EQ(say({"mutate", "positive", "M02"}, {&spec}).code, 5);
}

TEST(MutateCommand, BadUsageIsOneLineAndExitTwo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"mutate", "M99"},
                                                {"mutate", "tnah"},
                                                {"mutate", "--min-score", "2"},
                                                {"mutate", "--samples", "0"},
                                                {"mutate", "--format", "xml", "--out", "x"},
                                                {"mutate", "--format", "json"}}) {
    const Said said = say(words, op_specs());
    EXPECT_EQ(said.code, 2) << said.out;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
}

TEST(MutateCommand, AnUnknownOperatorGetsASuggestionAndBothCounts) {
  EXPECT_THAT(
      say({"mutate", "tahnh"}, op_specs()).err,
      HasSubstr(format_message("no operator is called 'tahnh'; did you mean 'tanh'? `notape "
                               "verify list` shows {}, and `mutate` has {} specimens",
                               {op_specs().size(), specimens().size()})));
  EXPECT_THAT(say({"mutate", "plugin:x.so"}, op_specs()).err,
              HasSubstr("'plugin:x.so': `notape verify mutate` is for built-in operators only"));
}

TEST(MutateCommand, ListNamesEveryMistakeAndHelpTeaches) {
  const Said list = say({"mutate", "--list"}, op_specs());
  for (const char* id : {"M01", "M36", "M58", "M67"}) EXPECT_THAT(list.out, HasSubstr(id));
  EXPECT_THAT(say({"mutate", "--help"}, op_specs()).out, HasSubstr("Exit codes: 0"));
  EXPECT_THAT(say({"mutate", "--list", "M44"}, op_specs()).out, Not(HasSubstr("M02")));
}

}  // namespace
}  // namespace notape::verify::mutate
