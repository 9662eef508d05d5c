// What is not known is not stated: undecided entries are not proven, have no power, and where
// nothing was decided the verdict is UNRESOLVED and no report calls it exact.
#include "verify/functions/gradcheck_test_helper.h"
#include "verify/report/summary.h"
#include "verify/report/table.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Rules sigmoid_by_hand() {
  return with_slope([](const Tensor& x) { return 1 / (1 + exp(-x)); },
                    [](const Tensor& x) { return exp(-x) / ((1 + exp(-x)) * (1 + exp(-x))); });
}

/// Forward mode and everything else is there, so that nothing but the undecided entries is amiss.
const CheckOptions kFirst = {.order = 1};

TEST(Undecided, EntriesAreNotProven) {
  const Report some = check_rules(sigmoid_by_hand(), leaf({0.5, -1, 2, 40}, {4}), kFirst);
  ASSERT_THAT(some.text(), HasSubstr("1 of 4 entries undecided"));
  EXPECT_TRUE(some.ok()) << some.text();
  Report without_limits = some;
  std::erase_if(without_limits.findings,
                [](const Finding& one) { return one.verdict == Verdict::Limit; });
  EXPECT_FALSE(without_limits.proven()) << some.text();
  EXPECT_THAT(some.text(), HasSubstr(" in the decided entries would have been seen"));
  const Report all = check_rules(sigmoid_by_hand(), leaf({0.5, -1, 2, 3}, {4}), kFirst);
  EXPECT_THAT(all.text(), Not(HasSubstr("decided")));
}

TEST(Undecided, NothingDecidedIsUnresolved) {
  // Differences of entries as small as these drown in what eps adds under the root.
  const auto layer_norm_like = [](const Tensor& x) {
    const Tensor centred = x - mean(x, {1}, true);
    return centred / sqrt(mean(centred * centred, {1}, true) + 1e-5);
  };
  for (uint64_t seed = 1; seed <= 3; ++seed)
    for (double apart : {1e-9, 1e-7, 1e-5, 1e-3}) {
      const Report report =
          verify::check(tensor_function(layer_norm_like),
                        {leaf({1, 1 + apart, 1 - apart, 1 + 3 * apart, 1, 1 + 2 * apart}, {2, 3})},
                        {.order = 1, .seed = seed});
      for (const Certificate& one : *report.certificates)
        if (one.undecided.of > 0 && one.undecided.entries == one.undecided.of) {
          EXPECT_NE(one.verdict, Verdict::Pass) << report.text();
        }
    }
}

TEST(Undecided, NothingDecidedIsNotExact) {
  EXPECT_TRUE(knows_nothing(Verdict::Pass, Undecided{.entries = 3, .of = 3}, 0));
  EXPECT_TRUE(knows_nothing(Verdict::Unresolved, {}, 0));
  EXPECT_FALSE(knows_nothing(Verdict::Pass, Undecided{.entries = 2, .of = 3}, 0));
  EXPECT_FALSE(knows_nothing(Verdict::Pass, {}, 0));
  const Report report = check_rules(sigmoid_by_hand(), leaf({40, 41}, {2}), kFirst);
  Part part;
  part.cases = 1;
  part.spec = report.certificates->front().spec;
  part.certificates = *report.certificates;
  EXPECT_THAT(table_row({part}), Not(HasSubstr("exact")));
  EXPECT_THAT(table_row({part}), HasSubstr("2 of 2 entries undecided"));
}

}  // namespace
}  // namespace notape::verify
