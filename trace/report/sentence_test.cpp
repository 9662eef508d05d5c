#include "trace/report/sentence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Sentence hostile(std::string_view name) {
  Sentence text("In ");
  text.name(name) << " & more";
  return text;
}

TEST(Sentence, NamesAreCodeInEveryFormat) {
  EXPECT_EQ(hostile("aten::add_").plain(), "In aten::add_ & more");
  EXPECT_EQ(hostile("aten::add_").html(), "In <code>aten::add_</code> &amp; more");
  EXPECT_EQ(hostile("aten::add_").markdown(), "In `aten::add_` &#38; more");
}

TEST(Sentence, HostileNamesStayText) {
  EXPECT_EQ(hostile("<script>alert(\"1\")</script>").html(),
            "In <code>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</code> &amp; more");
  for (const char* name : {"a`b", "a|b", "` <img src=x>", "\\`", " a", ""}) {
    const std::string text = hostile(name).markdown();
    EXPECT_THAT(text, HasSubstr("<code>")) << name;
    EXPECT_THAT(text.substr(9), Not(HasSubstr("`"))) << name;
    EXPECT_THAT(text, Not(HasSubstr("|"))) << name;
    EXPECT_THAT(text, Not(HasSubstr("<img"))) << name;
  }
  EXPECT_THAT(hostile("a\nb\x1b[31m").markdown(), Not(HasSubstr("\n")));
  EXPECT_THAT(hostile("a\nb\x1b[31m").markdown(), Not(HasSubstr("\x1b")));
  EXPECT_EQ(markdown_text("[x](y) @who #12 **b** <b>"),
            "&#91;x&#93;(y) &#64;who &#35;12 &#42;&#42;b&#42;&#42; &#60;b&#62;");
}

TEST(Sentence, LongNamesAreCut) { EXPECT_LT(hostile(std::string(5'000, 'k')).html().size(), 200u); }

}  // namespace
}  // namespace notape::trace
