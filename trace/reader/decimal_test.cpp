#include "trace/reader/decimal.h"

#include <gtest/gtest.h>

#include <string>

namespace notape::trace {
namespace {

TEST(Decimal, MicrosecondsBecomeNanosecondsExactly) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0", 0},
      {"0.000", 0},
      {"12", 12'000},
      {"12.5", 12'500},
      {"12.345", 12'345},
      {" 12.345\n", 12'345},
      {"-0.001", -1},
      {"-7", -7'000},
      {"+7", 7'000},
      {"1712195495519695.807", 1'712'195'495'519'695'807},
      {"1712195495519695.809", 1'712'195'495'519'695'809},
      {"9223372036854775.807", INT64_MAX},
      {"1e3", 1'000'000},
      {"1.5E+3", 1'500'000},
      {"15e-1", 1'500},
      {"1e-3", 1},
      {"0.0001e1", 1},
      {"0e999999999999", 0},
      {"1e-999999999999", 0},
      {".5", 500},
      {"5.", 5'000},
  };
  for (const auto& [text, ns] : cases) EXPECT_EQ(nanoseconds(text), ns) << text;
}

TEST(Decimal, RoundsPicosecondsHalfAwayFromZero) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0.0004", 0},       {"0.0005", 1}, {"-0.0005", -1}, {"1.0014999", 1'001}, {"1.9995", 2'000},
      {"0.00000005e4", 1}, {"4e-4", 0},   {"5e-4", 1},     {"9e-5", 0},
  };
  for (const auto& [text, ns] : cases) EXPECT_EQ(nanoseconds(text), ns) << text;
}

TEST(Decimal, RefusesWhatIsNoNumberOrLeavesInt64) {
  for (const char* text :
       {"", " ", "-", ".", "e5", "1e", "1e+", "NaN", "Infinity", "-Infinity", "null", "0x10", "1 2",
        "1.2.3", "12a", "9223372036854775.808", "1e300", "99999999999999999999999999", "1e999999"})
    EXPECT_FALSE(nanoseconds(text)) << text;
  EXPECT_FALSE(nanoseconds(std::string(100'000, '9')));
  EXPECT_EQ(nanoseconds(std::string(100'000, '0')), 0);
}

TEST(Decimal, WholeNumbersHaveNoFraction) {
  EXPECT_EQ(whole_number("7"), 7);
  EXPECT_EQ(whole_number("7.0"), 7);
  EXPECT_EQ(whole_number("-247463936"), -247'463'936);
  EXPECT_EQ(whole_number("70e-1"), 7);
  EXPECT_EQ(whole_number("128184607182336"), 128'184'607'182'336);
  for (const char* text : {"7.5", "7e-1", "stream 7", "", "18446744073709551616"})
    EXPECT_FALSE(whole_number(text)) << text;
}

}  // namespace
}  // namespace notape::trace
