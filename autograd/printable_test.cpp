#include "autograd/printable.h"

#include <gtest/gtest.h>

namespace notape {
namespace {

TEST(Printable, LeavesOrdinaryTextOfAnyLanguageAlone) {
  for (const char* text : {"", "tanh/reverse", "a\\b 'c' \"d\"", "Größe, 大きさ, مقاس, \U0001f600"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsWhatWouldActOnATerminalInsteadOfSendingIt) {
  EXPECT_EQ(printable("\x1b[2J\x1b]0;title\a"), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\r\nb\tc\x7f"), "a\\x0d\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m"), "\\u{9b}31m") << "the eight-bit form of ESC [";
  EXPECT_EQ(printable("abc\u202edef\u2069\u2028"), "abc\\u{202e}def\\u{2069}\\u{2028}");
}

TEST(Printable, ShowsTheBytesOfWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "an overlong form";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond 10FFFF";
  EXPECT_EQ(printable("\x9b"), "\\x9b");
}

TEST(Printable, OfSeveralLinesKeepsTheLines) {
  EXPECT_EQ(printable_lines("a\n\tb\x1b\r\n"), "a\n\tb\\x1b\\x0d\n");
}

TEST(Printable, ALongTextIsItsBeginningAndItsLength) {
  EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(shortened(std::string(100'000, 'a')), std::string(60, 'a') + "... (100000 bytes)");
  const std::string cut = shortened(std::string(59, 'a') + "ö" + std::string(9, 'b'));
  EXPECT_EQ(cut, std::string(59, 'a') + "... (70 bytes)");
}

TEST(Printable, KnowsUtf8) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("大\U0010ffff"));
  for (const char* text : {"\x80", "\xc3", "a\xff", "\xe0\x80\x80", "\xf8\x88\x80\x80\x80"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace notape
