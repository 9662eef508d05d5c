// Another process is another memory: what depends on it is found.
#include "verify/command/fresh_process.h"

#include <gmock/gmock.h>

#include "verify/command/session_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;

TEST(FreshProcess, EqualDigestsPassForEveryOperatorAndDtype) {
  const OpSpec right = right_operator();
  const std::string digests = digests_text({&right}, {});
  EXPECT_EQ(digests, digests_text({&right}, {})) << "and so they do in one process";
  const auto certificates = compare_digests({&right}, {}, digests, digests);
  ASSERT_EQ(certificates.size(), 2u);
  EXPECT_EQ(certificates[0].verdict, Verdict::Pass);
  EXPECT_EQ(certificates[0].comparisons, 3);
}

TEST(FreshProcess, OtherBitsAndMissingCasesAreNondeterministicWithTheCase) {
  const OpSpec right = right_operator();
  const Options options{.dtypes = {kFloat64}};
  const std::string here = digests_text({&right}, options);
  std::string there = here;
  there.back() = '\n';
  there[there.size() - 2] = there[there.size() - 2] == '0' ? '1' : '0';
  auto certificates = compare_digests({&right}, options, here, there);
  ASSERT_EQ(certificates.size(), 1u);
  EXPECT_EQ(certificates[0].verdict, Verdict::Nondeterministic);
  EXPECT_THAT(certificates[0].detail, HasSubstr("--case "));
  certificates = compare_digests({&right}, options, here, "");
  EXPECT_EQ(certificates[0].verdict, Verdict::Nondeterministic);
}

TEST(FreshProcess, TheCommandAsksItselfInANewProcess) {
  // What the tests run is not the command; a script that prints is one as well.
  const notape::testing::TemporaryFolder folder;
  const OpSpec right = right_operator();
  const Options options{.dtypes = {kFloat64}};
  const auto script = folder.path() / "another process";
  std::ofstream(script) << "#!/bin/sh\necho notape digests\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto certificates = fresh_process_certificates({&right}, options, script.string());
  ASSERT_EQ(certificates.size(), 1u);
  EXPECT_EQ(certificates[0].verdict, Verdict::Nondeterministic);
  EXPECT_TRUE(fresh_process_certificates({&right}, options, "").empty());
  EXPECT_TRUE(fresh_process_certificates({&right}, options, "/bin/true").empty())
      << "that is another program";
}

TEST(FreshProcess, DigestsOfTheCommandAreThoseOfTheProcess) {
  const OpSpec right = right_operator();
  const Said said = say({"digests", "1", "cpu", "float64", "float32", ",", "right"}, {&right});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, digests_text({&right}, {}));
  EXPECT_EQ(say({"digests"}, {&right}).code, 2);
}

}  // namespace
}  // namespace notape::verify
