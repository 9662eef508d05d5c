// A run within a budget: who goes first, and what is left out.
#include "verify/schedule/budget.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "verify/command/session_test_helper.h"
#include "verify/processes/child.h"
#include "verify/report/json.h"
#include "verify/runner/changed_files.h"
#include "verify/schedule/risk.h"

namespace notape::verify {
namespace {

using notape::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Writes down what is run, by name.
struct Diary final : Listener {
  void begin(std::size_t) override {}
  void part_begin(const OpSpec& spec, ScalarType) override { order.push_back(spec.name); }
  void part_end(const Part& part) override { cases.push_back(part.cases); }
  std::vector<std::string> order;
  std::vector<int64_t> cases;
};

const Options kOptions{.dtypes = {kFloat64}, .seed = 0, .samples = 5};

TEST(Budget, RisksGoFirstAndTheOthersInTurnWithMoreAndMoreCases) {
  const OpSpec a = named("a", right_operator()), b = named("b", a), c = named("c", a);
  Diary diary;
  const BudgetedRun ran = run_within({.seconds = 60,
                                      .most_samples = 8,
                                      .operators = {{&a}, {&b, Risk::Weak}, {&c, Risk::Changed}}},
                                     kOptions, diary);
  EXPECT_THAT(diary.order, ElementsAre("c", "b", "a", "a", "c", "b", "a"));
  EXPECT_THAT(diary.cases, ElementsAre(8, 8, 8));
  EXPECT_THAT(ran.left_out, IsEmpty());
}

TEST(Budget, RoundsAddUpToWhatOneRunFinds) {
  const OpSpec right = right_operator();
  Diary diary;
  Options options = kOptions;
  options.samples = 8;
  options.evidence = true;
  const auto whole = records_of(run({&right}, options, diary), options);
  const auto rounds = records_of(
      run_within({.seconds = 60, .most_samples = 8, .operators = {{&right}}}, options, diary)
          .certificates,
      options);
  ASSERT_EQ(rounds.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Record one = rounds[i];
    one.seconds = whole[i].seconds;
    EXPECT_EQ(certificate_json(one), certificate_json(whole[i]));
  }
}

TEST(Budget, WhatTheClockLeavesOutIsNamed) {
  const OpSpec slow = operator_that([] { ::usleep(1000); });
  const OpSpec first = named("first", slow), second = named("second", slow);
  for (const char* jobs : {"", "--jobs"}) {
    std::vector<std::string> words = {"--budget", "0.01s"};
    if (*jobs) words.insert(words.end(), {jobs, "1"});
    const Said said = say(words, {&first, &second});
    EXPECT_EQ(said.code, 0) << said.out;
    EXPECT_THAT(said.out, HasSubstr("1 operator, "));
    // The seed, 1, says who begins.
    EXPECT_THAT(said.out, HasSubstr("not run, for want of time: first, second float32\n"));
  }
}

TEST(Budget, NothingToCompareInFewCasesIsNoFailureInEnoughItIs) {
  OpSpec empty = right_operator();
  empty.draw = [draw = empty.draw](Draw& choices) {
    OpCase one = draw(choices);
    one.arguments[0].sizes = {0};
    return one;
  };
  for (const int samples : {2, 5}) {
    Diary diary;
    const auto certificates =
        run_within({.seconds = 60, .most_samples = samples, .operators = {{&empty}}}, kOptions,
                   diary)
            .certificates;
    const auto count = [&](Verdict verdict) {
      return std::count_if(certificates.begin(), certificates.end(),
                           [=](const Certificate& one) { return one.verdict == verdict; });
    };
    const bool enough = samples == kOptions.samples;
    EXPECT_EQ(count(Verdict::Vacuous) > 0, enough);
    EXPECT_EQ(count(Verdict::Unresolved) > 0, !enough);
    EXPECT_EQ(exit_code_of(certificates), enough ? 5 : 0);
  }
}

TEST(Budget, WhatIsRedGetsNoFurtherCases) {
  const OpSpec wrong = wrong_operator(), right = right_operator();
  Diary diary;
  const BudgetedRun ran = run_within(
      {.seconds = 60, .most_samples = 16, .operators = {{&wrong}, {&right}}}, kOptions, diary);
  EXPECT_THAT(diary.cases, ElementsAre(2, 16));
  EXPECT_EQ(exit_code_of(ran.certificates), 1);
}

Record record(const char* op, Verdict verdict, double detectable) {
  Record one;
  one.op = op;
  one.verdict = verdict;
  one.gate = 1e-8;
  one.detectable = detectable;
  return one;
}

TEST(Risk, TheMostUrgentReasonCounts) {
  const OpSpec a = named("a", right_operator()), b = named("b", a), c = named("c", a),
               d = named("d", a);
  const SpecList specs = {&a, &b, &c, &d};
  const EarlierEvidence known{
      .earlier = {record("a", Verdict::Pass, 1e-12), record("b", Verdict::Pass, 1e-6),
                  record("b", Verdict::Fail, 0), record("c", Verdict::Unresolved, 0)},
      .killed = {{"a", 1.0}, {"c", 0.5}, {"d", 0.9}}};
  const auto risks = risks_of(specs, known, {});
  EXPECT_EQ(risks[0].risk, Risk::None);
  EXPECT_EQ(risks[1].risk, Risk::Failed);
  EXPECT_EQ(risks[2].risk, Risk::Weak);
  EXPECT_EQ(risks[3].risk, Risk::Survived);
  EXPECT_NEAR(risks[3].degree, 0.1, 1e-12);
  EXPECT_EQ(risks_text(risks),
            "1 failed before (b); 1 weak before (c); 1 with surviving mistakes (d); 1 others");
  EXPECT_EQ(risks_of(specs, {.changed = {"verify/command/session_test_helper.h"}}, {})[0].risk,
            Risk::None);
  EXPECT_EQ(risks_of(specs, {.changed = {"verify/mutate/mutant_test_helper.h"}}, {})[0].risk,
            Risk::Changed);
}

TEST(Risk, EarlierResultsInOutDecideTheOrder) {
  const TemporaryFolder folder;
  const OpSpec right = right_operator(), wrong = wrong_operator();
  const std::string out = folder / "out";
  say({"--samples", "2", "--out", out, "--format", "json"}, {&right, &wrong});
  const std::vector<std::string> words = {"--budget", "60", "--samples", "1",
                                          "--out",    out,  "--format",  "json"};
  EXPECT_THAT(say(words, {&right, &wrong}).out, HasSubstr("1 failed before (wrong)"));
  folder.write("out/certificates.jsonl", "{");
  const Said said = say(words, {&right, &wrong});
  EXPECT_THAT(said.err, HasSubstr("earlier results are ignored"));
  EXPECT_EQ(said.code, 1);
}

TEST(Risk, MutationResultsAreReadWithCare) {
  const TemporaryFolder folder;
  const auto file = folder.write(
      "good.json",
      R"({"operators": {"a": {"wrong": 4, "killed": 3}, "b": {"wrong": 0, "killed": 0}}})");
  EXPECT_EQ(read_kill_rates(file), (std::map<std::string, double>{{"a", 0.75}}));
  for (const char* bad : {"", "[]", "{}", R"({"operators": {"a": {"wrong": 1, "killed": 2}}})",
                          R"({"operators": {"a": {"wrong": "x", "killed": 2}}})"})
    EXPECT_THROW(read_kill_rates(folder.write("bad.json", bad)), BadMutationFile) << bad;
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
