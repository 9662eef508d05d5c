#include "paper_examples/examples.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "autograd/testing/temporary_folder.h"
#include "paper_examples/testing/missing_digits.h"

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
  const auto example = std::ranges::find_if(
      examples(), [](const Example& e) { return std::string_view(e.name) == GetParam(); });
  if (!example->packages.empty()) GTEST_SKIP() << "./run examples trains it, on data of packages";
  // One that trains does so to the end here; the others would take a minute.
  const bool is_quick = kSanitized || std::string_view(GetParam()) != "listing1";
  const ExampleOptions options{.size = is_quick ? ExampleSize::Quick : ExampleSize::Small};
  std::ostringstream out;
  try {
    EXPECT_EQ(example->run_with ? example->run_with(out, options) : example->run(out), 0)
        << out.str();
  } catch (const FileError& error) {
    if (error.what() != data::missing_digits()) throw;
    GTEST_SKIP() << error.what();
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

TEST(Examples, DrawPicturesInTheChosenFolderAndSayWhere) {
  const testing::TemporaryFolder folder;
  const auto example = std::ranges::find(examples(), std::string_view("memory"), &Example::name);
  std::ostringstream out;
  EXPECT_EQ(example->run_with(out, {.pictures = folder.path() / "new"}), 0);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("Picture: " + (folder / "new/memory.svg")));
  std::ifstream picture(folder / "new/memory.svg");
  std::string text{std::istreambuf_iterator<char>(picture), {}};
  EXPECT_THAT(text, ::testing::HasSubstr("class=\"retained\""));

  folder.write("taken", "a file");
  EXPECT_THROW(example->run_with(out, {.pictures = folder.path() / "taken"}), FileError);
}

TEST(Examples, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Example& example : examples()) EXPECT_TRUE(names.insert(example.name).second);
  EXPECT_GE(names.size(), 9u);
}

}  // namespace
}  // namespace notape
