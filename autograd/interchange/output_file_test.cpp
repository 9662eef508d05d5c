// What becomes of the old file when writing the new one goes wrong.
#include "autograd/interchange/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograd/interchange/npy.h"
#include "autograd/interchange/testing/scratch.h"
#include "ops/ops.h"

namespace notape::interchange {
namespace {

using namespace notape::testing;

void write_whole(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

/// The status that a forked child ends with.
template <typename F>
int status_of_child(F act) {
  const pid_t child = ::fork();
  if (child == 0) {
    act();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(WholeFile, StaysAsItWasUntilTheNewOneIsCommitted) {
  const TemporaryFolder folder;
  write_whole(folder / "x", "old");
  {
    OutputFile file(folder / "x");
    file.write(std::string(100'000, 'n'));
    EXPECT_EQ(bytes_of(folder / "x"), "old");
    file.finish();
    EXPECT_EQ(bytes_of(folder / "x"), "old");
  }
  EXPECT_EQ(bytes_of(folder / "x"), "old");
  EXPECT_EQ(folder.files(), 1u);
  write_whole(folder / "x", "new");
  EXPECT_EQ(bytes_of(folder / "x"), "new");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WholeFile, KeepsThePermissionsOfTheOneItReplaces) {
  const TemporaryFolder folder;
  write_whole(folder / "x", "old");
  ASSERT_EQ(::chmod((folder / "x").c_str(), 0640), 0);
  write_whole(folder / "x", "new");
  EXPECT_EQ(mode_of(folder / "x"), 0640u);
}

TEST(WholeFile, DoesNotReplaceAWriteProtectedOne) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is write-protected for root";
  const TemporaryFolder folder;
  write_whole(folder / "x", "old");
  ASSERT_EQ(::chmod((folder / "x").c_str(), 0444), 0);
  EXPECT_THROW(OutputFile(folder / "x"), FileError);
}

TEST(WholeFile, BehindALinkIsReplacedAndNotTheLink) {
  const TemporaryFolder folder;
  write_whole(folder / "real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  std::filesystem::create_symlink("not yet there", folder / "dangling");
  write_whole(folder / "link", "new");
  write_whole(folder / "dangling", "made");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(bytes_of(folder / "real"), "new");
  EXPECT_EQ(bytes_of(folder / "not yet there"), "made");
}

TEST(WholeFile, MayHaveTheLongestName) {
  const TemporaryFolder folder;
  write_whole(folder / std::string(255, 'n'), "text");
  EXPECT_EQ(bytes_of(folder / std::string(255, 'n')), "text");
}

TEST(WholeFile, OfAKilledProcessLeavesTheOldOneAndNothingElse) {
  const TemporaryFolder folder;
  write_whole(folder / "x", "old");
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
    const int status = status_of_child([&] {
      ::signal(signal, SIG_DFL);
      OutputFile file(folder / "x");
      file.write("half");
      file.finish();
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(bytes_of(folder / "x"), "old");
    EXPECT_EQ(folder.files(), 1u) << "this file system has no nameless files";
  }
}

TEST(WholeFile, OfAChildThatEndsIsNotTheParents) {
  const TemporaryFolder folder;
  OutputFile file(folder / "x");
  file.write("who");
  status_of_child([&] { OutputFile(folder / "x").write("other"); });
  file.write("le");
  file.commit();
  EXPECT_EQ(bytes_of(folder / "x"), "whole");
}

/// What saving says where no file may grow beyond some bytes, as on a full disk.
TEST(WholeFile, LeavesTheOldOneWhenThereIsNoRoom) {
  const TemporaryFolder folder;
  const Tensor old = ones({3}), large = ones({100'000});
  save_npy(folder / "x.npy", old);
  const int status = status_of_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit little{5000, 5000};
    if (::setrlimit(RLIMIT_FSIZE, &little) != 0) ::_exit(2);
    try {
      save_npy(folder / "x.npy", large);
    } catch (const FileError& error) {
      const bool named =
          std::string(error.what()).find("x.npy: cannot be written: ") != std::string::npos;
      ::_exit(named ? 7 : 3);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  expect_same_bits(load_npy(folder / "x.npy"), old);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WholeFile, RemovesWhatWritersThatWereKilledHaveLeft) {
  const TemporaryFolder folder;
  const std::string left = folder / "x.partial-123-0", others = folder / "y.partial-123-0",
                    written = folder / "x.partial-124-7", users = folder / "x.partial-mine";
  for (const std::string& file : {left, others, written, users}) put_bytes(file, "part");
  const int lock = ::open(written.c_str(), O_RDONLY | O_CLOEXEC);  // as its writer's
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  write_whole(folder / "x", "new");
  EXPECT_EQ(bytes_of(folder / "x"), "new");
  EXPECT_NE(::access(left.c_str(), F_OK), 0);
  for (const std::string& file : {others, written, users})
    EXPECT_EQ(::access(file.c_str(), F_OK), 0) << file;
  ::close(lock);
  write_whole(folder / "x", "newer");
  EXPECT_NE(::access(written.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace notape::interchange
