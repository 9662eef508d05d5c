// Data of Debian packages: what examples say without it, and how it is fetched. apt-get and
// dpkg-deb are stand-ins here.
#include <gmock/gmock.h>

#include <filesystem>

#include "paper_examples/testing/command.h"

namespace notape {
namespace {

using ::testing::HasSubstr;

class InstallData : public CommandTest {
 protected:
  InstallData() {
    program("apt-get", "[ \"$1 $2\" = 'download sword-text-kjv' ] && touch \"$2_1.deb\"\n");
    program("dpkg-deb",
            "[ \"$1\" = -x ] && d=\"$3/usr/share/doc/sword-text-kjv\" && mkdir -p $d && "
            "touch $d/copyright\n");
  }

  /// What it prints, errors too, and how it ends: "...\nstatus 1".
  std::string run(const std::string& arguments) const {
    const Outcome outcome =
        shell("PATH=$PWD:$PATH XDG_CACHE_HOME=$PWD NOTAPE_DATA= " NOTAPE_COMMAND " examples run " +
              arguments + " 2>&1");
    return outcome.out + "status " + std::to_string(outcome.status);
  }

  /// Data that is there makes an example train.
  bool is_installed() const {
    return std::filesystem::exists("/usr/share/sword/modules/texts/ztext/engKJV2006eb");
  }
};

TEST_F(InstallData, AnExampleWithoutItsDataSaysWhichPackageToInstall) {
  if (is_installed()) GTEST_SKIP() << "sword-text-kjv is installed";
  const std::string out = run("gnmt");
  EXPECT_THAT(out, HasSubstr("not run: the Debian package sword-text-kjv is not installed"));
  EXPECT_THAT(out,
              HasSubstr("=== 1 example, not run for want of data: gnmt, none failed\nstatus 1"));
}

TEST_F(InstallData, UnpacksPackagesIntoTheUsersCacheWhenAsked) {
  if (is_installed()) GTEST_SKIP() << "sword-text-kjv is installed";
  const std::string out = run("gnmt --install-data");  // there is no sword-text-sparv
  EXPECT_THAT(out, HasSubstr("unpacked sword-text-kjv into "));
  EXPECT_THAT(out, HasSubstr("apt-get download sword-text-sparv failed"));
  EXPECT_THAT(out, ::testing::EndsWith("status 2"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() /
                                      "notape/packages/usr/share/doc/sword-text-kjv/copyright"));
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder_.path() / "notape"))
    ++entries;
  EXPECT_EQ(entries, 1u);  // nothing unfinished is left
  EXPECT_THAT(run("gnmt --install-data"), HasSubstr("sword-text-kjv is there already"));
}

TEST_F(InstallData, OnlyExamplesThatTrainTakeSeedsAndSizes) {
  EXPECT_THAT(run("fig1 --seeds 2"), HasSubstr("'fig1' takes no --seeds\nstatus 2"));
  EXPECT_THAT(run("memory --seed 1 --full --out there"),
              HasSubstr("'memory' takes no --seed --full, but --out\nstatus 2"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "there"));
  EXPECT_THAT(run("ncf --seeds 0"), HasSubstr("--seeds"));
}

}  // namespace
}  // namespace notape
