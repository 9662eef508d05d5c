#include "trace/reader/json_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string malformed(const std::string& text) {
  try {
    JsonCursor(text).value();
  } catch (const JsonCursor::Malformed& error) {
    return error.what;
  } catch (const JsonCursor::OutOfText&) {
    return "out of text";
  }
  return "";
}

TEST(JsonCursor, HandsOutValuesAsTheyAreWritten) {
  JsonCursor cursor(R"( {"a":1, "b" : [ {"x":"}]"} ,2] , "c":"q\"\\", "d":NaN,} )");
  std::vector<std::string> seen;
  cursor.members([&](std::string_view key) {
    seen.emplace_back(key);
    seen.emplace_back(cursor.value());
  });
  EXPECT_THAT(seen,
              ElementsAre("a", "1", "b", R"([ {"x":"}]"} ,2])", "c", R"("q\"\\")", "d", "NaN"));
}

TEST(JsonCursor, AsksForMoreTextWhereverItIsCut) {
  const std::string whole = R"({"name":"aten::\"mul\\","dur":12.5,"args":{"a":[1,[2]],"b":"}"}} )";
  EXPECT_EQ(malformed(whole), "");
  for (std::size_t length = 0; length < whole.size() - 1; ++length)
    EXPECT_EQ(malformed(whole.substr(0, length)), "out of text") << whole.substr(0, length);
}

TEST(JsonCursor, RefusesWhatNoTextCanMend) {
  EXPECT_THAT(malformed("[1}"), HasSubstr("do not match"));
  EXPECT_THAT(malformed("[{]"), HasSubstr("do not match"));
  EXPECT_THAT(malformed("}"), HasSubstr("where a value belongs"));
  EXPECT_THAT(malformed("[1,\x01]"), HasSubstr("outside of a string"));
  EXPECT_THAT(malformed(std::string("[\0]", 3)), HasSubstr("outside of a string"));
  EXPECT_THAT(malformed(std::string(600, '[')), HasSubstr("deeper than 512"));
  EXPECT_EQ(malformed(std::string(512, '[') + std::string(512, ']')), "");
}

TEST(JsonCursor, DecodesEscapes) {
  const std::pair<const char*, const char*> cases[] = {
      {R"(a\"b\\c\/d)", "a\"b\\c/d"},
      {R"(\b\f\n\r\t)", "\b\f\n\r\t"},
      {R"(\u0041\u00e9)", "A\xc3\xa9"},
      {R"(\u20ac)", "\xe2\x82\xac"},
      {R"(\ud83d\ude00)", "\xf0\x9f\x98\x80"},
      // Broken ones stay as they are.
      {R"(\ud83d)", R"(\ud83d)"},
      {R"(\ude00x)", R"(\ude00x)"},
      {R"(\u12)", R"(\u12)"},
      {R"(\q)", R"(\q)"},
      {R"(\ud83d\u0041)", R"(\ud83dA)"},
  };
  for (const auto& [text, meaning] : cases) EXPECT_EQ(unescaped(text), meaning) << text;
}

}  // namespace
}  // namespace notape::trace
