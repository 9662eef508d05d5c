#include "trace/write/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "autograd/error.h"
#include "trace/testing/recordings.h"

namespace notape::trace {
namespace {

using testing::TemporaryFile;

TEST(OutputFile, AppearsOnlyWhenCommitted) {
  const TemporaryFile file(".json");
  {
    OutputFile out(file.path());
    out.write("half");
    EXPECT_FALSE(std::filesystem::exists(file.path()));
  }
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  OutputFile out(file.path());
  out.write("who");
  out.write("le");
  out.commit();
  EXPECT_EQ(read_file(file.path()), "whole");
}

TEST(OutputFile, LeavesAnOldFileAloneUntilItIsReplaced) {
  const TemporaryFile file(".json");
  OutputFile first(file.path());
  first.write("old");
  first.commit();
  {
    OutputFile abandoned(file.path());
    abandoned.write("new");
  }
  EXPECT_EQ(read_file(file.path()), "old");
}

TEST(OutputFile, WritesToADeviceInPlace) {
  OutputFile out("/dev/null");
  out.write("anything");
  out.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, SaysThatADiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  OutputFile out("/dev/full");
  EXPECT_THROW(
      {
        out.write("anything");
        out.commit();
      },
      FileError);
}

TEST(ReadFile, RejectsACutArchive) {
  const TemporaryFile file(".json.gz");
  OutputFile out(file.path());
  out.write(std::string(10'000, 'x'));
  out.commit();
  std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 5);
  EXPECT_THROW(read_file(file.path()), FileError);
}

}  // namespace
}  // namespace notape::trace
