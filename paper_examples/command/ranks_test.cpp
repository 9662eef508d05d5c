// `mpirun notape verify alias`: the real launcher, and a rank that is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <regex>

#include "autograd/testing/temporary_folder.h"
#include "trace/write/output_file.h"

namespace notape::command {
namespace {

using ::testing::HasSubstr;

const std::string kCampaign = NOTAPE_COMMAND " verify alias --programs 3000 --seed 3 --quiet";
const std::string kMpirun = "mpirun --allow-run-as-root --oversubscribe -n 3 ";

struct Ran {
  int status;
  std::string out, error;
};

Ran run(const std::string& line, const testing::TemporaryFolder& folder) {
  const int status =
      std::system((line + " >" + (folder / "out") + " 2>" + (folder / "error")).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, trace::read_file(folder / "out"),
          trace::read_file(folder / "error")};
}

std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9.]+ s \\([0-9]+ programs/s\\)"), "T");
}

bool have_mpirun() { return std::system("mpirun --version >/dev/null 2>&1") == 0; }

TEST(Ranks, ShareACampaignUnderMpirun) {
  if (!have_mpirun()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  const testing::TemporaryFolder folder;
  const Ran alone = run(kCampaign, folder), shared = run(kMpirun + kCampaign, folder);
  EXPECT_EQ(shared.status, 0) << shared.error;
  EXPECT_EQ(without_times(shared.out), without_times(alone.out));
  EXPECT_THAT(shared.error, HasSubstr("3 ranks, seed 3"));
}

TEST(Ranks, AKilledOneIsToldAndItsProgramsAreRun) {
  if (!have_mpirun()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  const testing::TemporaryFolder folder;
  const std::string meeting = folder / "meeting";
  const Ran alone = run(kCampaign, folder);
  // Rank 1 is killed as soon as the others can know of it.
  const std::string script = "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then (until [ -e " + meeting +
                             "/rank.1 ]; do sleep 0.01; done; kill -9 $$) & fi; exec " + kCampaign +
                             " --exchange " + meeting;
  const Ran shared = run(kMpirun + "--enable-recovery sh -c '" + script + "'", folder);
  EXPECT_EQ(without_times(shared.out), without_times(alone.out));
  EXPECT_THAT(shared.error, HasSubstr("of 3 ranks these died: 1; no program was left out"));
}

}  // namespace
}  // namespace notape::command
