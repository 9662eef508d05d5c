// A run within --budget: who goes first, and what is left out.
#include "verify/schedule/run.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "verify/command/session_test_helper.h"
#include "verify/processes/child.h"
#include "verify/runner/changed_files.h"
#include "verify/schedule/urgency.h"

namespace notape::verify {
namespace {

using notape::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Budget, WhatTheClockLeavesOutIsNamed) {
  const OpSpec slow = operator_that([] { ::usleep(1000); });
  const OpSpec first = named("first", slow), second = named("second", slow),
               third = named("third", slow);
  for (const char* jobs : {"", "--jobs"}) {
    std::vector<std::string> words = {"--budget", "0.01s"};
    if (*jobs) words.insert(words.end(), {jobs, "1"});
    const Said said = say(words, {&first, &second, &third});
    EXPECT_EQ(said.code, 0) << said.out;
    EXPECT_THAT(said.out, HasSubstr("1 operator, "));
    // The seed, 1, says who begins.
    EXPECT_THAT(said.out, HasSubstr("not run, for want of time: third, first\n"));
  }
}

Record record(const char* op, Verdict verdict, double detectable) {
  Record one;
  one.op = op;
  one.verdict = verdict;
  one.gate = 1e-8;
  one.detectable = detectable;
  return one;
}

TEST(Urgency, TheMostUrgentReasonCounts) {
  const OpSpec a = named("a", right_operator()), b = named("b", a), c = named("c", a),
               d = named("d", a), e = named("e", a);
  const std::vector<Record> earlier = {
      record("a", Verdict::Pass, 1e-12), record("c", Verdict::Unresolved, 0),
      record("b", Verdict::Pass, 1e-6), record("b", Verdict::Fail, 0),
      record("e", Verdict::Pass, 1e-6)};
  const auto [order, text] = by_urgency({&a, &b, &c, &d, &e}, {}, earlier, {.seed = 1});
  EXPECT_THAT(order, ElementsAre(&b, &c, &e, &d, &a));
  EXPECT_EQ(text, "1 failed before (b); 2 weak before (c, e); 2 others");
  for (const auto& [file, expected] : {std::pair("command/session_test_helper.h", "1 others"),
                                       std::pair("mutate/mutant_test_helper.h", "1 changed (a)")})
    EXPECT_EQ(by_urgency({&a}, {std::string("verify/") + file}, {}, {}).text, expected);
}

TEST(Urgency, EarlierResultsInOutDecideTheOrder) {
  const TemporaryFolder folder;
  const OpSpec right = right_operator(), wrong = wrong_operator();
  const std::string out = folder / "out";
  say({"--samples", "2", "--out", out, "--format", "json"}, {&right, &wrong});
  const std::vector<std::string> words = {"--budget", "60", "--samples", "1",
                                          "--out",    out,  "--format",  "json"};
  EXPECT_THAT(say(words, {&right, &wrong}).out, HasSubstr("1 failed before (wrong)"));
  folder.write("out/certificates.jsonl.gz", "{");
  const Said said = say(words, {&right, &wrong});
  EXPECT_THAT(said.err, HasSubstr("earlier results are ignored"));
  EXPECT_EQ(said.code, 1);
}

TEST(ChangedFiles, AreThoseOfTheRepositoryHere) {
  const TemporaryFolder folder;
  const ChildEnd end = run_in_child([&](ToParent& parent) {
    if (::chdir(folder.path().c_str()) != 0) return;
    if (changed_files("HEAD")) parent.send("no repository, but files; ");
    const char* make =
        "git init -q . && mkdir sub && touch kept changed sub/deleted && git add . && "
        "git -c user.name=a -c user.email=a@b commit -qm first >/dev/null && "
        "echo more > changed && rm sub/deleted && touch 'sub/new one'";
    if (std::system(make) != 0) return parent.send("no git");
    for (const char* bad : {"nothing", "", "-h", "--output=x"})
      if (changed_files(bad)) parent.send("a commit after all; ");
    if (::chdir("sub") != 0) return;
    const auto files = changed_files("HEAD");
    for (const std::string& file : files ? *files : std::vector<std::string>{"nothing"})
      parent.send(file + "; ");
  });
  if (end.said == "no git") GTEST_SKIP() << "git is not installed";
  EXPECT_EQ(end.said, "changed; sub/deleted; sub/new one; ");
}

TEST(ChangedFiles, OutsideOfARepositoryThatIsSaid) {
  const TemporaryFolder folder;
  const ChildEnd end = run_in_child([&](ToParent& parent) {
    if (::chdir(folder.path().c_str()) != 0) return;
    parent.send(say({"changed:HEAD"}, op_specs()).err);
  });
  EXPECT_EQ(end.said, "notape verify: changed:HEAD: this is not a git repository\n");
}

TEST(ChangedFiles, MeanTheOperatorWhoseFileOrKernelTheyAre) {
  const OpSpec& tanh = find_op_spec("tanh");
  EXPECT_TRUE(is_changed(tanh, {"README.md", "ops/elementwise/tanh.cpp"}));
  EXPECT_TRUE(is_changed(tanh, {"ops/cpu/tanh.cpp"}));
  EXPECT_FALSE(is_changed(tanh, {"ops/elementwise/tanh_test.cpp", "ops/elementwise/atanh.cpp"}));
  EXPECT_FALSE(is_changed(tanh, {}));
}

}  // namespace
}  // namespace notape::verify
