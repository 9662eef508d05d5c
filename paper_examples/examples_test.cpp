#include "paper_examples/examples.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "paper_examples/data/package_file.h"

namespace notape {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

const std::set<std::string_view> kTrainLong = {"listing1", "finetune", "ncf", "gnmt"};

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1);
}

/// A line with blanks at its end, or too long for a terminal; errors and the last line are as long
/// as they are.
std::string untidy_line(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with(' ') ||
        (line.size() > 100 && !line.starts_with("    ") && !line.starts_with("expected: ")))
      return line;
  return "";
}

class EveryExample : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryExample, SeesWhatItExpectsAndSaysSoInItsLastLine) {
  if (kSanitized && kTrainLong.contains(GetParam()))
    GTEST_SKIP() << "takes minutes under a sanitizer; a test of its own trains it for a little";
  const auto example = std::ranges::find_if(
      examples(), [](const Example& e) { return std::string_view(e.name) == GetParam(); });
  std::ostringstream out;
  try {
    EXPECT_EQ(example->run(out), 0) << out.str();
  } catch (const data::MissingPackage& missing) {
    GTEST_SKIP() << missing.what();
  }
  EXPECT_THAT(last_line(out.str()), ::testing::MatchesRegex("expected: .*; seen: .*\n"));
  EXPECT_EQ(untidy_line(out.str()), "");
}

std::vector<const char*> all_names() {
  std::vector<const char*> names;
  for (const Example& example : examples()) names.push_back(example.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryExample, ::testing::ValuesIn(all_names()),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Examples, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Example& example : examples()) EXPECT_TRUE(names.insert(example.name).second);
  EXPECT_GE(names.size(), 9u);
}

}  // namespace
}  // namespace notape
