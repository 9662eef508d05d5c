// The corpus and its calibration: the verifier is held to it by a sample, and the calibration is
// held to what it is for: it must be able to fail.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "ops/ops.h"
#include "verify/command/session_test_helper.h"
#include "verify/corpus/distance.h"
#include "verify/corpus/report.h"
#include "verify/corpus/rule.h"

namespace notape::verify::corpus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// x^2, whose backward is right, or has another factor.
Entry squared(double right_factor, double wrong_factor, int order = 1) {
  const auto with_factor = [=](double factor) {
    return [=](const Call& call) -> variable_list {
      return {call.given[0] * call.x[0] * (call.slip("wrong") ? wrong_factor : factor)};
    };
  };
  return entry_of("test", Authored{.name = "squared",
                                   .forward = [](const variable_list& x) -> variable_list {
                                     return {x[0] * x[0]};
                                   },
                                   .backward = with_factor(right_factor),
                                   .inputs = between(0.5, 2),
                                   .slips = {{"wrong", Kind::LostFactor}},
                                   .traits = {.order = order}});
}

Calibration calibrated(const std::vector<Entry>& entries, int seeds = 2, int jobs = 0) {
  return calibrate(choose(entries, {}), {.seeds = seeds, .jobs = jobs});
}

TEST(Calibration, ASampleOfTheCorpusHasNoWrongVerdicts) {
  const Calibration calibration = calibrate(choose(all_entries(), {}), {.seeds = 1, .jobs = 2});
  for (const Violation& violation : calibration.violations)
    ADD_FAILURE() << name_of(violation.what) << ": " << replay_of(violation) << "\n"
                  << violation.text;
  EXPECT_LE(calibration.unresolved_share(), kMostUnresolved);
  EXPECT_GE(calibration.entries.size(), 120u);
}

TEST(Calibration, WhatOnceWasJudgedWronglyIsNot) {
  // False alarms of repeat, second-order, ties, long and kinks; powers stated for tiny slopes,
  // for slopes of 0 beside large ones, for errors that cancel, for the fourth of several ties, and
  // for gradients in float32 of which an incoming gradient of ones shows nothing.
  const std::pair<const char*, uint64_t> once[] = {
      {"softmax_saturated", 2},   {"softmax_saturated", 11},
      {"far_hypotenuse", 3},      {"far_hypotenuse", 7},
      {"far_hypotenuse", 19},     {"standardise", 3},
      {"mean_and_deviation", 5},  {"softmax_loop", 5},
      {"embedding", 1},           {"exp_underflow", 3},
      {"relative_bias", 3},       {"shared_maximum", 5},
      {"softmax_in_float32", 11}, {"layer_norm_in_float32", 11},
      {"c_hardswish", 11},        {"softmax_saturated", 83},
      {"max_pool", 62},           {"c_huber_sum", 77},
      {"far_hypotenuse", 53}};
  for (const auto& [name, seed] : once)
    for (const Violation& violation :
         calibrate(choose(all_entries(), {name}), {.first_seed = seed, .seeds = 1}).violations)
      ADD_FAILURE() << name_of(violation.what) << ": " << replay_of(violation) << "\n"
                    << violation.text;
}

TEST(Calibration, ARightFunctionThatIsWrongIsAFalseAlarm) {
  const std::vector<Entry> entries = {squared(2.5, 1)};
  const Calibration calibration = calibrated(entries);
  EXPECT_FALSE(calibration.accepted());
  EXPECT_EQ(calibration.count(Violation::What::FalseAlarm), 2);
  EXPECT_THAT(
      calibration_text(calibration),
      AllOf(HasSubstr("FALSE ALARM: squared/right: reverse"),
            HasSubstr("    again: notape verify calibrate squared/right --seed 1 --seeds 1")));
}

TEST(Calibration, AMistakeOfAMissingRuleIsMissedAndContradictsThePower) {
  // The planted function is right, and what it is compared with is not: nobody can find that.
  std::vector<Entry> entries = {squared(2, 2)};
  entries[0].right = squared(2.5, 2).right;
  const Calibration calibration = calibrate(choose(entries, {"squared/wrong"}), {.seeds = 2});
  EXPECT_FALSE(calibration.accepted());
  EXPECT_EQ(calibration.count(Violation::What::Contradicted), 2) << calibration_text(calibration);
  EXPECT_THAT(calibration_json(calibration),
              AllOf(HasSubstr("\"contradicted\": 2"), HasSubstr("\"cpu\": \"")));
}

TEST(Calibration, AMistakeIsMissedOnlyBeyondTheStatedPower) {
  const auto fate = [](double distance, double stated, const char* red = "") {
    return Trial{.red = red, .stated = stated, .distance = distance}.fate();
  };
  EXPECT_EQ(fate(5e-11, 1e-10), Fate::Small);
  EXPECT_EQ(fate(2e-10, 1e-10), Fate::Missed);
  EXPECT_EQ(fate(2e-10, HUGE_VAL), Fate::Undecided);
  EXPECT_EQ(fate(1e-14, 0), Fate::Harmless);
  EXPECT_EQ(fate(1, 1e-10, "reverse"), Fate::Found);
  EXPECT_FALSE((Trial{.stated = 1e-10, .distance = 1.5e-10}).contradicted());
  EXPECT_TRUE((Trial{.stated = 1e-10, .distance = 3e-10}).contradicted());
}

TEST(Calibration, SeveralProcessesGiveTheSameResult) {
  const std::vector<Entry> entries = {squared(2, 1), squared(2.5, 2)};
  const Calibration one = calibrated(entries), two = calibrated(entries, 2, 2);
  EXPECT_EQ(one.violations.size(), two.violations.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(one.entries[i].checks, two.entries[i].checks);
    EXPECT_EQ(one.entries[i].mistakes[0].found, two.entries[i].mistakes[0].found);
    EXPECT_EQ(one.entries[i].mistakes[0].most, two.entries[i].mistakes[0].most);
  }
}

TEST(CorpusDistance, IsMeasuredInSumsOverOneArgument) {
  const Entry entry = squared(2, 3, 2);
  InputDraw draw("distance", 1);
  const variable_list x = entry.inputs(draw);
  EXPECT_NEAR(distance(entry.right, entry.mistakes[0].wrong, x, 1), 0.5, 1e-12);
  EXPECT_NEAR(distance(entry.right, entry.mistakes[0].wrong, x, 2), 0.5, 1e-12);
  EXPECT_EQ(distance(entry.right, entry.right, x, 1), 0);
}

TEST(Corpus, EveryEntryHasItsOwnNameAndThreeMistakesOnAverage) {
  std::set<std::string> names;
  std::set<Kind> kinds;
  std::size_t mistakes = 0;
  for (const Entry& entry : all_entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_GE(entry.mistakes.size(), 3u) << entry.name;
    std::set<std::string> own;
    for (const Mistake& one : entry.mistakes) {
      EXPECT_TRUE(own.insert(one.name).second) << entry.name << "/" << one.name;
      EXPECT_LE(one.order, entry.traits.order) << entry.name << "/" << one.name;
      kinds.insert(one.kind);
    }
    mistakes += entry.mistakes.size();
  }
  EXPECT_GE(mistakes, 3 * names.size());
  EXPECT_EQ(kinds.size(), kKinds);
}

TEST(Corpus, OneSeedDrawsTheSameInputsAgain) {
  const Entry& entry = all_entries().front();
  InputDraw a(entry.name, 7), b(entry.name, 7), other(entry.name, 8);
  const Tensor x = entry.inputs(a)[0];
  EXPECT_TRUE(x.equal(entry.inputs(b)[0]));
  EXPECT_FALSE(x.equal(entry.inputs(other)[0]));
}

TEST(CalibrateCommand, PrintsTheTableAndWritesJson) {
  const notape::testing::TemporaryFolder folder;
  const std::string out = folder.path().string();
  const Said said =
      say({"calibrate", "quick_gelu", "--seeds", "1", "--format", "json", "--out", out}, {});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("1 function with 3 mistakes at 1 seed from 1: 0 false alarms"));
  EXPECT_THAT(said.out, HasSubstr("\naccepted\n"));
  std::ifstream file(folder.path() / "calibration.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(json, HasSubstr("\"schema\": \"notape.calibration/1\""));
}

TEST(CalibrateCommand, OneMistakeOfOneFunctionCanBeChosen) {
  const Said list = say({"calibrate", "quick_gelu/constant", "--list"}, {});
  EXPECT_THAT(list.out, HasSubstr("/constant"));
  EXPECT_THAT(list.out, Not(HasSubstr("/factor")));
  EXPECT_THAT(list.out, HasSubstr("1 function with 1 mistake"));
}

TEST(CalibrateCommand, BadUsageIsOneLineAndExitTwo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"calibrate", "no-such"},
                                                {"calibrate", "--seeds", "0"},
                                                {"calibrate", "--seed", "x"},
                                                {"calibrate", "--jobs", "0"},
                                                {"calibrate", "--format", "xml", "--out", "x"},
                                                {"calibrate", "--format", "json"}}) {
    const Said said = say(words, {});
    EXPECT_EQ(said.code, 2) << said.out;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
}

}  // namespace
}  // namespace notape::verify::corpus
