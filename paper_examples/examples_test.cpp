#include "paper_examples/examples.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

namespace notape {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1);
}

class EveryExample : public testing::TestWithParam<Example> {};

TEST_P(EveryExample, SeesWhatItExpects) {
  const Example& example = GetParam();
  if (kSanitized && std::string_view(example.name) == "listing1")
    GTEST_SKIP() << "120 epochs under a sanitizer take minutes; one epoch runs in C09_...";
  std::ostringstream out;
  EXPECT_EQ(example.run(out), 0) << out.str();
  EXPECT_THAT(last_line(out.str()), testing::MatchesRegex("expected: .*; seen: .*\n"));
}

TEST_P(EveryExample, FitsOnA100ColumnTerminal) {
  const Example& example = GetParam();
  if (std::string_view(example.name) == "listing1") GTEST_SKIP() << "trains for seconds";
  std::ostringstream out;
  example.run(out);
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    const bool free_text = line.starts_with("expected: ") || line.starts_with("    ");
    EXPECT_TRUE(free_text || line.size() <= 100) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryExample, testing::ValuesIn(examples()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Examples, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Example& example : examples()) EXPECT_TRUE(names.insert(example.name).second);
  EXPECT_GE(names.size(), 9u);
}

}  // namespace
}  // namespace notape
