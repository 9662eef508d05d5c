// Pictures as files: their colours, and text that is no markup.
#include "autograd/interchange/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/interchange/markup.h"

namespace notape::interchange {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const SvgPicture kPicture{
    .width = 40,
    .height = 30,
    .title = "a < b",
    .rules = ".mark { fill: var(--red); stroke: var(--blue-soft); }\n",
    .elements = svg_rect(1, 2, 3, 4, "mark") + svg_text(5, 6, "title", "x < y & \"z\"")};

TEST(Svg, HasPlainColoursLightAndDark) {
  const std::string file = svg_file(kPicture);
  const std::size_t dark = file.find("@media (prefers-color-scheme: dark)");
  ASSERT_NE(dark, std::string::npos);
  EXPECT_THAT(file.substr(0, dark), HasSubstr(".mark { fill: #b42318; stroke: #e3edfd; }"));
  EXPECT_THAT(file.substr(dark), HasSubstr(".mark { fill: #ff8a80; stroke: #1b2c4d; }"));
  EXPECT_THAT(file, Not(HasSubstr("var(")));
}

TEST(Svg, StandsOnABackgroundOfItsOwnAndSaysItsTitle) {
  const std::string file = svg_file(kPicture);
  EXPECT_THAT(file, HasSubstr("<rect class=\"page\" width=\"40\" height=\"30\""));
  EXPECT_THAT(file, HasSubstr(".page { fill: #ffffff; }"));
  EXPECT_THAT(file, HasSubstr("<title>a &lt; b</title>"));
}

TEST(Svg, TextIsNoMarkup) {
  EXPECT_THAT(svg_file(kPicture), HasSubstr(">x &lt; y &amp; &quot;z&quot;</text>"));
  EXPECT_EQ(escaped("a\x1b[31m"), "a\\x1b[31m");
}

TEST(Svg, HasAnElementALine) {
  EXPECT_THAT(svg_file(kPicture), HasSubstr("class=\"mark\"/>\n<text "));
  EXPECT_THAT(svg_file({.elements = "<g><text>10<tspan>2</tspan></text></g>"}),
              HasSubstr("<g>\n<text>10<tspan>2</tspan></text></g>"));
}

TEST(Svg, EveryColourThatAPageNamesIsInBothForms) {
  const std::string css = palette_css();
  for (const char* colour : {"--ink:", "--blue-soft:", "--orange:"}) {
    const std::size_t first = css.find(colour);
    ASSERT_NE(first, std::string::npos) << colour;
    EXPECT_NE(css.find(colour, first + 1), std::string::npos) << colour;
  }
}

TEST(Svg, CountsLettersAndNotBytes) {
  EXPECT_EQ(svg_width("a…b"), svg_width("abc"));
  EXPECT_GT(svg_width("abcd"), svg_width("abc"));
}

}  // namespace
}  // namespace notape::interchange
