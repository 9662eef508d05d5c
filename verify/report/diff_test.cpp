// Two runs compared.
#include "verify/report/diff.h"

#include <gmock/gmock.h>

namespace notape::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Record record(const std::string& op, Verdict verdict = Verdict::Pass) {
  Record one;
  one.id = op + "/reverse/float64/cpu";
  one.op = op;
  one.check = "reverse";
  one.verdict = verdict;
  one.comparisons = 100;
  one.detectable = 1e-12;
  one.seconds = 0.2;
  return one;
}

TEST(Diff, OfEqualRunsIsNothing) {
  const auto runs = {record("a"), record("b", Verdict::Fail), record("c", Verdict::Unresolved)};
  const Difference difference = compare_runs(runs, runs);
  EXPECT_EQ(text_of(difference), "nothing is worse\n");
  EXPECT_EQ(exit_code_of(difference), 0);
}

TEST(Diff, ANewRedIsExitCode1AlsoWhereTheCheckIsNew) {
  const Difference difference =
      compare_runs({record("a")}, {record("a", Verdict::Nonfinite), record("b", Verdict::Fail)});
  EXPECT_THAT(difference.new_reds,
              ElementsAre(HasSubstr("NONFINITE: a/reverse"), HasSubstr("FAIL: b/reverse")));
  EXPECT_EQ(exit_code_of(difference), 1);
}

TEST(Diff, AnOldRedIsNotNewAndAGoneOneIsFixed) {
  const Difference difference =
      compare_runs({record("a", Verdict::Fail), record("b", Verdict::Fail)},
                   {record("a", Verdict::Fail), record("b")});
  EXPECT_THAT(difference.new_reds, IsEmpty());
  EXPECT_THAT(difference.fixed, ElementsAre(HasSubstr("b/reverse/float64/cpu: PASS now")));
  EXPECT_EQ(exit_code_of(difference), 0);
}

TEST(Diff, LostPowerIsExitCode3) {
  Record weaker = record("b"), little = record("c");
  weaker.detectable = 1e-9;
  little.detectable = 1.5e-12;
  const Difference difference = compare_runs({record("a"), record("b"), record("c")},
                                             {record("a", Verdict::Unresolved), weaker, little});
  EXPECT_THAT(difference.lost_power,
              ElementsAre(HasSubstr("a/reverse/float64/cpu: UNRESOLVED"),
                          HasSubstr("b/reverse/float64/cpu: could miss 1e-12 then, 1e-09 now")));
  EXPECT_EQ(exit_code_of(difference), 3);
}

/// Another check of the same operator.
Record record_of_second_order(const std::string& op) {
  Record one = record(op);
  one.check = "second-order";
  one.id = op + "/second-order/float64/cpu";
  return one;
}

TEST(Diff, LostCoverageIsALinePerOperator) {
  Record fewer = record("b"), also_fewer = record_of_second_order("b");
  fewer.comparisons = 20;
  also_fewer.comparisons = 10;
  const Difference difference =
      compare_runs({record("a"), record_of_second_order("a"), record("b"),
                    record_of_second_order("b"), record("c"), record_of_second_order("c")},
                   {fewer, also_fewer, record("c")});
  EXPECT_THAT(difference.lost_coverage,
              ElementsAre("a: not checked any more (2 checks then)",
                          "b: 200 comparisons then, 30 now, in 2 checks",
                          "c: 1 check not made any more: c/second-order/float64/cpu"));
}

TEST(Diff, ListsLostCoverageAndSlowerChecks) {
  Record fewer = record("b"), slower = record("c"), little = record("d");
  fewer.comparisons = 49;
  slower.seconds = 0.6;
  little.seconds = 0.29;
  const Difference difference =
      compare_runs({record("a"), record("b"), record("c"), record("d")}, {fewer, slower, little});
  EXPECT_THAT(difference.lost_coverage,
              ElementsAre("a: not checked any more (1 check then)",
                          "b/reverse/float64/cpu: 100 comparisons then, 49 now"));
  EXPECT_THAT(difference.slower, ElementsAre(HasSubstr("c/reverse/float64/cpu: 0.20 s then")));
  EXPECT_EQ(exit_code_of(difference), 5);
  EXPECT_EQ(exit_code_of(compare_runs({record("c")}, {slower})), 0);
}

}  // namespace
}  // namespace notape::verify
