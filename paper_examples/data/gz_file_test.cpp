#include "paper_examples/data/gz_file.h"

#include <gmock/gmock.h>

#include "autograd/error.h"
#include "autograd/testing/temporary_folder.h"
#include "paper_examples/testing/gzipped.h"

namespace notape::data {
namespace {

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 2654435761u) + "\n";
  return text;
}

TEST(ReadGz, GivesTheContentBack) {
  const testing::TemporaryFolder folder;
  for (const std::string& content : {std::string("1,2\n"), std::string(), long_text()})
    EXPECT_TRUE(read_gz(folder.write("a.gz", gzipped(content))) == content);
}

TEST(ReadGz, ReadsFilesThatWerePutTogether) {
  const testing::TemporaryFolder folder;
  const std::string two = gzipped("1,2\n") + gzipped(long_text());
  EXPECT_TRUE(read_gz(folder.write("two.gz", two)) == "1,2\n" + long_text());
  EXPECT_THROW(read_gz(folder.write("cut.gz", two.substr(0, two.size() - 1))), FileError);
  EXPECT_THROW(read_gz(folder.write("three.gz", two + "\x1f\x8b")), FileError);
}

TEST(ReadGz, RefusesWhatIsNoWholeGzipFileNamingFileAndByte) {
  const testing::TemporaryFolder folder;
  const std::string whole = gzipped(long_text()), half = whole.substr(0, whole.size() / 2);
  std::string damaged = whole, wrong_checksum = whole;
  damaged[whole.size() / 2] = static_cast<char>(~damaged[whole.size() / 2]);
  wrong_checksum[whole.size() - 8] = static_cast<char>(~wrong_checksum[whole.size() - 8]);
  struct Case {
    const char* name;
    std::string bytes, message;
  };
  const Case cases[] = {
      {"empty.gz", "", "byte 0: not a gzip file"},
      {"plain.gz", "1,2,3\n", "byte 0: not a gzip file"},
      {"header.gz", whole.substr(0, 5), "byte 5: truncated"},
      {"half.gz", half, "byte " + std::to_string(half.size()) + ": truncated"},
      {"almost.gz", whole.substr(0, whole.size() - 1), "truncated"},
      {"damaged.gz", damaged, "damaged"},
      {"checksum.gz", wrong_checksum, "damaged (incorrect data check)"},
      {"longer.gz", whole + "x", "byte " + std::to_string(whole.size()) + ": unexpected bytes"},
  };
  for (const Case& tested : cases) {
    const std::string path = folder.write(tested.name, tested.bytes).string();
    try {
      read_gz(path);
      FAIL() << tested.name << " was accepted";
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith(path + ": "));
      EXPECT_THAT(error.what(), ::testing::HasSubstr(tested.message));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("\n")));
    }
  }
}

TEST(ReadGz, RefusesMissingFilesAndFolders) {
  const testing::TemporaryFolder folder;
  for (const auto& [path, message] :
       {std::pair(folder.path() / "none.gz", "cannot be opened: No such file or directory"),
        std::pair(folder.path(), "cannot be read: it is not a regular file")}) {
    try {
      read_gz(path);
      FAIL() << path << " was accepted";
    } catch (const FileError& error) {
      EXPECT_EQ(error.what(), path.string() + ": " + message);
    }
  }
}

TEST(ReadGz, RefusesToInflateWithoutBound) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("zeros.gz", gzipped(std::string(1 << 20, '0')));
  EXPECT_EQ(read_gz(path, 1 << 20).size(), std::size_t{1} << 20);
  EXPECT_THROW(read_gz(path, (1 << 20) - 1), FileError);
}

}  // namespace
}  // namespace notape::data
