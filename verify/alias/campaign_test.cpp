// The campaign on the library, and the campaign itself: it must find planted faults.
#include "verify/alias/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "verify/alias/generator.h"
#include "verify/alias/report.h"

namespace notape::verify::alias {
namespace {

/// A fresh seed, printed: a failure can be repeated.
uint64_t fresh_seed() {
  const uint64_t seed = std::random_device()();
  std::cout << "campaign seed " << seed << "\n";
  return seed;
}

void expect_clean(const CampaignOptions& options) {
  const CampaignResult result = run_campaign(options);
  for (const Finding& finding : result.findings)
    ADD_FAILURE() << finding_text(finding, options.settings);
  EXPECT_EQ(exit_code_of(result), 0);
  EXPECT_GT(result.gradients, options.programs) << "little was compared";
  EXPECT_GT(result.writes, options.programs) << "little was written";
  EXPECT_LT(result.false_rejection_rate(),
            options.settings.policy == Policy::CowSave ? 0.001 : 0.25);
  std::cout << campaign_table(result, options.settings);
}

TEST(AliasCampaign, TwentyThousandProgramsAreExactOrRefused) {
  expect_clean({.programs = 20000, .seed = fresh_seed()});
}

TEST(AliasCampaign, HoldsUnderThePapersRules) {
  expect_clean({.settings = {.policy = Policy::Paper2017}, .programs = 5000, .seed = fresh_seed()});
}

TEST(AliasCampaign, RefusesNextToNothingWhereSavedValuesAreCopied) {
  expect_clean({.settings = {.policy = Policy::CowSave}, .programs = 5000, .seed = fresh_seed()});
}

TEST(AliasCampaign, IsToldOfWritesThroughRawPointersWhereValuesAreGuarded) {
  expect_clean({.settings = {.policy = Policy::Guarded}, .programs = 5000, .seed = fresh_seed()});
}

TEST(AliasCampaign, CountsTheSameOnAnyNumberOfThreads) {
  CampaignOptions options{.settings = {.fault = Fault::StaleViews}, .programs = 2000, .seed = 11};
  const CampaignResult one = run_campaign(options);
  options.threads = 4;
  const CampaignResult four = run_campaign(options);
  EXPECT_EQ(four.outcomes, one.outcomes);
  EXPECT_EQ(four.statements, one.statements);
  EXPECT_EQ(four.required, one.required);
  ASSERT_EQ(four.findings.size(), one.findings.size());
  for (std::size_t i = 0; i < one.findings.size(); ++i)
    EXPECT_EQ(four.findings[i].program, one.findings[i].program);
}

TEST(AliasCampaign, HoldsForTranscendentalFunctions) {
  expect_clean({.settings = {.field = Field::Real}, .programs = 5000, .seed = fresh_seed()});
}

class PlantedFault : public ::testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsFoundWithinAThousandProgramsAndShrinksToFiveStatements) {
  const Settings settings{.fault = GetParam()};
  const CampaignResult result =
      run_campaign({.settings = settings, .programs = 1000, .seed = fresh_seed(), .findings = 10});
  ASSERT_GT(result.count(Outcome::SilentlyWrong), 0);
  std::size_t smallest = SIZE_MAX;
  for (const Finding& finding : result.findings) {
    smallest = std::min(smallest, finding.program.size());
    Trial faulty(settings), sound(Settings{});
    EXPECT_EQ(faulty.run(finding.program).outcome, finding.outcome);
    EXPECT_LT(sound.run(finding.program).outcome, kFirstFailure) << "the fault is the reason";
  }
  EXPECT_LE(smallest, 5u) << finding_text(result.findings[0], settings);
}

INSTANTIATE_TEST_SUITE_P(AliasCampaign, PlantedFault,
                         ::testing::Values(Fault::NoVersionCheck, Fault::StaleViews),
                         [](const auto& one) {
                           return one.param == Fault::StaleViews ? "StaleViews" : "NoVersionCheck";
                         });

TEST(AliasCampaign, AProgramSeedIsAllThereIsToAProgram) {
  const Settings settings;
  Trial first_trial(settings), second_trial(settings);
  Generator first(first_trial), second(second_trial);
  Program a, b;
  for (int i = 0; i < 200; ++i) {
    const Outcome outcome = first.run(program_seed(7, i), a).outcome;
    EXPECT_EQ(second.run(program_seed(7, i), b).outcome, outcome);
    ASSERT_EQ(a, b);
    EXPECT_EQ(second_trial.run(a).outcome, outcome) << "the same, run from its text";
  }
  second.run(program_seed(8, 0), b);
  EXPECT_NE(a, b);
}

TEST(AliasCampaign, CountsAddUp) {
  int64_t calls = 0;
  const CampaignResult result =
      run_campaign({.programs = 300, .seed = 5, .before = [&](uint64_t) { ++calls; }});
  int64_t sum = 0;
  for (int64_t count : result.outcomes) sum += count;
  EXPECT_EQ(sum, 300);
  EXPECT_EQ(calls, 300);
  EXPECT_GT(result.count(Outcome::Exact), 180);
  EXPECT_GT(result.required[static_cast<std::size_t>(Failure::LeafInPlace)], 0);
}

}  // namespace
}  // namespace notape::verify::alias
