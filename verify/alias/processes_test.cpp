// Campaigns on several processes give what one process gives, whoever dies on the way.
#include "verify/alias/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "autograd/testing/temporary_folder.h"
#include "verify/alias/meeting.h"
#include "verify/alias/report.h"
#include "verify/processes/usage_error.h"

namespace notape::verify::alias {
namespace {

using notape::testing::TemporaryFolder;
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

/// A rank of two, as another process: what it printed and whether it had the result.
std::string play_rank(int rank, const std::string& folder) {
  std::FILE* err = std::tmpfile();
  const auto result = run_on_ranks(kOptions, 1, {.rank = rank, .size = 2}, folder, err);
  std::rewind(err);
  std::string said = result ? "result " + text_of(*result) : "none ";
  for (int c = std::fgetc(err); c != EOF; c = std::fgetc(err)) said += static_cast<char>(c);
  std::fclose(err);
  return said;
}

TEST(AliasRanks, ShareTheProgramsAndOneHasTheResult) {
  const TemporaryFolder folder;
  const std::string meeting = folder / "meeting";
  Child zero([&](ToParent& parent) { parent.send(play_rank(0, meeting)); });
  Child one([&](ToParent& parent) { parent.send(play_rank(1, meeting)); });
  EXPECT_EQ(one.wait().said, "none ");
  const std::string said = zero.wait().said;
  EXPECT_THAT(said, HasSubstr(text_of(run_campaign(kOptions))));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("died")));
  EXPECT_EQ(folder.files(), 0u) << "the meeting is over";
}

TEST(AliasRanks, TheProgramsOfARankThatDiesAreRunByOthers) {
  const TemporaryFolder folder;
  const std::string meeting = folder / "meeting";
  for (const int dies : {1, 0}) {
    const ChildEnd dead = run_in_child([&](ToParent&) {
      Meeting other(meeting, dies, 2);
      other.agree("11 1000 fp61 default stale-views");
      for (std::size_t block : {0, 3, 8}) other.claim(block);
      ::raise(SIGKILL);
    });
    ASSERT_EQ(dead.kind, ChildEnd::Kind::Crashed);
    const std::string said =
        run_in_child([&](ToParent& parent) { parent.send(play_rank(1 - dies, meeting)); }).said;
    EXPECT_THAT(said, HasSubstr(text_of(run_campaign(kOptions))));
    const std::string name = "rank " + std::to_string(dies) + " died";
    EXPECT_THAT(said, HasSubstr(name + "; rank " + std::to_string(1 - dies) +
                                " runs its programs 192 to 255 again"));
    EXPECT_THAT(said, HasSubstr("of 2 ranks these died: " + std::to_string(dies)));
  }
}

TEST(AliasRanks, ABlockIsOneRanks) {
  const TemporaryFolder folder;
  Meeting zero(folder / "meeting", 0, 2), one(folder / "meeting", 1, 2);
  EXPECT_FALSE(zero.last_claim(5));
  EXPECT_TRUE(zero.claim(5));
  EXPECT_FALSE(one.claim(5));
  EXPECT_EQ(one.last_claim(5)->rank, 0);
  EXPECT_TRUE(one.claim(5, 1));
  EXPECT_FALSE(zero.claim(5, 1));
  EXPECT_EQ(zero.last_claim(5)->rank, 1);
  EXPECT_EQ(zero.last_claim(5)->attempt, 1);
  EXPECT_FALSE(one.published(5));
  zero.publish(5, "text");
  one.publish(5, "late");
  EXPECT_EQ(one.published(5), "text");
  EXPECT_EQ(zero.agree("first"), "first");
  EXPECT_EQ(one.agree("second"), "first");
}

TEST(AliasRanks, RefuseOtherOptionsAndAUsedFolder) {
  const TemporaryFolder folder;
  {
    Meeting first(folder / "meeting", 0, 2);
    first.agree("11 500 fp61 default none");
    EXPECT_THROW(play_rank(1, folder / "meeting"), UsageError);
  }
  EXPECT_THROW(Meeting(folder / "meeting", 0, 2), UsageError);
  EXPECT_THROW(Meeting("/proc/no-such-place", 0, 2), UsageError);
}

TEST(AliasRanks, AreKnownFromTheEnvironment) {
  const ChildEnd end = run_in_child([](ToParent& parent) {
    ::clearenv();
    parent.send(rank_here() ? "somebody " : "nobody ");
    ::setenv("OMPI_COMM_WORLD_RANK", "2", 1);
    ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    ::setenv("PMIX_NAMESPACE", "job", 1);
    const auto rank = rank_here();
    parent.send(std::to_string(rank->rank) + " of " + std::to_string(rank->size) + " in " +
                rank->job + (rank->same_machine ? " here " : " afar "));
    ::setenv("OMPI_COMM_WORLD_RANK", "4", 1);
    parent.send(rank_here() ? "somebody" : "nobody");
  });
  EXPECT_EQ(end.said, "nobody 2 of 4 in job afar nobody");
}

}  // namespace
}  // namespace notape::verify::alias
