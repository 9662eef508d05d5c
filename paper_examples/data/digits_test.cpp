#include "paper_examples/data/digits.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/testing/missing_digits.h"

namespace notape::data {
namespace {

/// 64 pixels 0, 1, ..., 15, 0, ... and the class 7.
std::string line() {
  std::string text;
  for (int i = 0; i < 64; ++i) text += std::to_string(i % 16) + ",";
  return text + "7\n";
}

std::string replaced(std::string text, const std::string& old_part, const std::string& new_part) {
  return text.replace(text.find(old_part), old_part.size(), new_part);
}

TEST(Digits, AreTheFileOfTheReadme) {
  if (const std::string why = missing_digits(); !why.empty()) GTEST_SKIP() << why;
  const Dataset digits = read_digits(find_data("digits.csv.gz"));
  EXPECT_EQ(digits.data.sizes(), (IntArrayRef{1797, 1, 8, 8}));
  EXPECT_EQ(digits.target.sizes(), (IntArrayRef{1797}));
  EXPECT_EQ(digits.data.dtype(), kFloat32);
  EXPECT_EQ(digits.target.dtype(), kInt64);
  const int64_t counts[] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  for (int digit = 0; digit < 10; ++digit)
    EXPECT_EQ(digits.target.eq(digit).sum().item<int64_t>(), counts[digit]) << digit;
  EXPECT_EQ(digits.data.max().item(), 1);
  EXPECT_EQ(digits.data.min().item(), 0);
}

TEST(ParseDigits, KeepsPixelsRowByRowAndTheClassLast) {
  const Dataset digits = parse_digits(line() + replaced(line(), ",7\n", ",9\r\n"), "two");
  EXPECT_EQ(digits.size(), 2);
  EXPECT_EQ(digits.data[1][0][0][3].item(), 3.0 / 16);
  EXPECT_EQ(digits.data[1][0][1][0].item(), 8.0 / 16);
  EXPECT_EQ(digits.target[0].item<int64_t>(), 7);
  EXPECT_EQ(digits.target[1].item<int64_t>(), 9);
}

TEST(ParseDigits, DoesNotNeedALastLineBreak) {
  std::string text = line();
  text.pop_back();
  EXPECT_EQ(parse_digits(text, "one").size(), 1);
}

TEST(ParseDigits, NamesFileLineNumberAndByteOfWhatItCannotRead) {
  struct Case {
    std::string text, message;
  };
  const Case cases[] = {
      {"", "d.csv: no digits in it"},
      {"\n", "d.csv: line 1, number 1 (byte 0 of the text): no number"},
      {line() + "\n", "d.csv: line 2, number 1 (byte 154 of the text): no number"},
      {replaced(line(), "0,1,", "0,x,"), "line 1, number 2 (byte 2 of the text): no number"},
      {replaced(line(), "0,1,", "0,17,"), "line 1, number 2 (byte 2 of the text): number outside"},
      {replaced(line(), "0,1,", "0,-1,"), "number 2 (byte 2 of the text): number outside 0..16"},
      {replaced(line(), "0,1,", "0,99999999999,"), "number outside 0..16"},
      {replaced(line(), "0,1,", "0;1,"), "number 1 (byte 1 of the text): no comma"},
      {replaced(line(), "0,1,", "0.5,1,"), "number 1 (byte 1 of the text): no comma"},
      {replaced(line(), ",7\n", ",10\n"), "number 65 (byte 152 of the text): number outside 0..9"},
      {replaced(line(), ",7\n", "\n"), "number 64 (byte 151 of the text): no comma"},
      {replaced(line(), ",7\n", ",7,7\n"), "number 65 (byte 153 of the text): more than 65"},
  };
  for (const Case& tested : cases) {
    try {
      parse_digits(tested.text, "d.csv");
      FAIL() << "accepted: " << tested.text;
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(tested.message));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("\n")));
    }
  }
}

/// Sets NOTAPE_DATA for a scope.
class DataVariable {
 public:
  explicit DataVariable(const std::string& value) {
    if (const char* before = std::getenv("NOTAPE_DATA")) before_ = before;
    setenv("NOTAPE_DATA", value.c_str(), 1);
  }
  ~DataVariable() { setenv("NOTAPE_DATA", before_.c_str(), 1); }

 private:
  std::string before_;  // empty: as if it were not set
};

TEST(FindData, PrefersTheFileOrFolderThatTheUserNames) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("mine.gz", "x");
  const auto in_folder = folder.write("digits.csv.gz", "x");
  {
    const DataVariable variable(file.string());
    EXPECT_EQ(find_data("digits.csv.gz"), file);
  }
  const DataVariable variable(folder.path().string());
  EXPECT_EQ(find_data("digits.csv.gz"), in_folder);
}

TEST(FindData, DoesNotLookElsewhereIfWhatTheUserNamesIsMissing) {
  const DataVariable variable("/nowhere/digits.csv.gz");
  try {
    find_data("digits.csv.gz");
    FAIL() << "found something";
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(),
                 "no digits.csv.gz: looked for /nowhere/digits.csv.gz; NOTAPE_DATA may name the "
                 "file or its folder");
  }
}

TEST(FindData, NamesEveryPlaceItLookedIn) {
  const DataVariable none("");
  try {
    find_data("no_such_file.gz");
    FAIL() << "found something";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("paper_examples/data/no_such_file.gz"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("share/notape/no_such_file.gz"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("sklearn/datasets/data/no_such_file.gz"));
  }
}

}  // namespace
}  // namespace notape::data
