// Campaigns on several processes give what one process gives, whoever dies on the way.
#include "verify/alias/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "verify/alias/report.h"

namespace notape::verify::alias {
namespace {

using ::testing::HasSubstr;

const CampaignOptions kOptions{
    .settings = {.fault = Fault::StaleViews}, .programs = 1000, .seed = 11, .findings = 2};

/// Everything that is said about a campaign, times left out.
std::string text_of(CampaignResult result) {
  result.seconds = 0;
  return campaign_json(result, kOptions.settings);
}

TEST(AliasProcesses, FindWhatOneProcessFinds) {
  const std::string alone = text_of(run_campaign(kOptions));
  EXPECT_EQ(text_of(run_on_processes(kOptions, 1)), alone);
  EXPECT_EQ(text_of(run_on_processes(kOptions, 3)), alone);
  EXPECT_THAT(alone, HasSubstr("silently wrong"));
}

TEST(AliasProcesses, BlocksCoverEveryProgramOnce) {
  for (int64_t programs : {1, 64, 65, 1000, 70000, 10000000}) {
    int64_t next = 0;
    for (const Block& block : blocks_of(programs)) {
      EXPECT_EQ(block.first, next);
      EXPECT_GT(block.last, block.first);
      next = block.last;
    }
    EXPECT_EQ(next, programs);
  }
}

struct Quiet final : ToParent {
  int descriptor() const override { return -1; }
  void send(const std::string&) override {}
  void note(const std::string& doing) override { last = doing; }
  std::string last;
};

TEST(AliasProcesses, AProgramThatEndsItsProcessIsBrokenAndToldWithItsReplay) {
  Quiet note;
  const BlockResult block =
      block_of(block_text(run_block(kOptions, {0, 100}, {{7, "SIGSEGV"}}, note)));
  EXPECT_EQ(noted_program(note.last), 99);
  const CampaignResult result = campaign_of({.programs = 100, .seed = 11}, {block});
  EXPECT_EQ(result.programs, 100);
  EXPECT_EQ(result.count(Outcome::Broken), 1);
  EXPECT_EQ(exit_code_of(result), 6);
  std::string told;
  for (const Finding& finding : result.findings) told += finding_text(finding, {});
  EXPECT_THAT(told, HasSubstr("SIGSEGV"));
  EXPECT_THAT(told, HasSubstr("--replay " + std::to_string(program_seed(11, 7))));
}

TEST(AliasProcesses, ProgramsThatCrashAreCountedAndTheOthersStillRun) {
  const CampaignOptions plain{.programs = 300, .seed = 11};
  CampaignOptions crashing = plain;
  crashing.before = [](uint64_t seed) {
    if (seed == program_seed(11, 70) || seed == program_seed(11, 71)) ::raise(SIGSEGV);
  };
  const CampaignResult whole = run_campaign(plain), result = run_on_processes(crashing, 2);
  EXPECT_EQ(result.programs, 300);
  EXPECT_EQ(result.count(Outcome::Broken), 2);
  EXPECT_EQ(whole.count(Outcome::Broken), 0);
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].program_seed, program_seed(11, 70));
  EXPECT_EQ(result.findings[1].program_seed, program_seed(11, 71));
  EXPECT_THAT(result.findings[0].detail, HasSubstr("SIGSEGV"));
  int64_t others = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Outcome::Broken); ++i)
    others += result.outcomes[i];
  EXPECT_EQ(others, 298);
}

}  // namespace
}  // namespace notape::verify::alias
