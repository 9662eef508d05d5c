#include "trace/report/words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace notape::trace {
namespace {

TEST(Words, TimesHaveThreeDigitsOrSo) {
  EXPECT_EQ(time_words(0), "0");
  EXPECT_EQ(time_words(830), "830 ns");
  EXPECT_EQ(time_words(5'097), "5.1 us");
  EXPECT_EQ(time_words(999'960), "1.0 ms");
  EXPECT_EQ(time_words(95'735'954), "95.7 ms");
  EXPECT_EQ(time_words(719'000'000), "719 ms");
  EXPECT_EQ(time_words(43'353'639'000), "43.4 s");
  EXPECT_EQ(time_words(-1'500), "-1.5 us");
}

TEST(Words, SharesNeverRoundToNothingOrToAll) {
  EXPECT_EQ(share_words(0, 7), "none");
  EXPECT_EQ(share_words(7, 7), "all");
  EXPECT_EQ(share_words(1, 100'000), "under 0.1 %");
  EXPECT_EQ(share_words(99'999, 100'000), "over 99.9 %");
  EXPECT_EQ(share_words(41, 100), "41 %");
  EXPECT_EQ(share_words(984, 1'000), "98.4 %");
  EXPECT_EQ(share_words(3, 0), "-");
  EXPECT_EQ(share_words(std::nan("")), "-");
}

TEST(Words, CountsBytesAndRatios) {
  EXPECT_EQ(count_words(-1'234'567), "-1,234,567");
  EXPECT_EQ(count_words(123), "123");
  EXPECT_EQ(count_words(1, "call"), "1 call");
  EXPECT_EQ(count_words(2'000, "call"), "2,000 calls");
  EXPECT_EQ(bytes_words(101'305'344), "96.6 MiB");
  EXPECT_EQ(bytes_words(12), "12 bytes");
  EXPECT_EQ(ratio_words(2.892), "2.89");
  EXPECT_EQ(ratio_words(0.9966), "0.997");
  EXPECT_EQ(ratio_words(31.44), "31.4");
  EXPECT_EQ(ratio_words(5108.2), "5,108");
  EXPECT_EQ(ratio_words(INFINITY), "-");
}

TEST(Words, NamesAreCutInTheMiddleAndBetweenLetters) {
  EXPECT_EQ(short_name("aten::mul", 20), "aten::mul");
  EXPECT_EQ(short_name("abcdefghij", 7), "abcd…ij");
  EXPECT_EQ(short_name("ääääääääää", 7), "ääää…ää");
  EXPECT_EQ(file_name("a/b/c.json"), "c.json");
  EXPECT_EQ(file_name("c.json"), "c.json");
}

}  // namespace
}  // namespace notape::trace
