// Paper2017, the policy of the 2017 paper, 3.1, against Default, its "future work".
#include "autograd/modes/grad_mode.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Paper2017, A38_AliasingIsRefusedAtTheWriteWithTheNumberOfSharers) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const Tensor w = leaf({1, 2, 3});
  Tensor x = w * 1;
  const Tensor y = as_strided(x, {2}, {1});
  const Unchanged before({x, y});
  expect_error<AliasedInPlace>(
      "in-place operations can be only used on variables that don't share storage with any other "
      "variables, but detected that there are 2 objects sharing it",
      [&] { x.add_(3); });
  const Tensor third = y.detach();
  expect_error<AliasedInPlace>("3 objects", [&] { x.add_(3); });
  before.check();
}

TEST(Paper2017, A39_TheSameProgramRunsUnderTheDefaultPolicy) {
  const Tensor w = leaf({1, 2, 3});
  Tensor x = w * 1;
  const Tensor y = as_strided(x, {2}, {1});
  x.add_(3);
  y.sum().backward();
  expect_values(w.grad(), {1, 1, 0});
}

TEST(Paper2017, A34_InvalidationPassesForwardAndFailsInBackward) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const Tensor x = leaf({1.0});
  Tensor y = x.tanh();
  y.add_(3);
  EXPECT_THROW(y.backward(), SavedTensorModified);
}

TEST(Paper2017, SoleOwnersMayWriteAndSavedValuesAreNoSharers) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const Tensor w = leaf({1, 2});
  Tensor x = w * 1;
  const Tensor saved = x * w;
  x.add_(1);
  x.sum().backward();
  expect_values(w.grad(), {1, 1});
  EXPECT_THROW(saved.sum().backward(), SavedTensorModified);
}

TEST(Paper2017, ABaseKeptAliveByItsViewCounts) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const Tensor w = leaf({1, 2});
  Tensor view = (w * 1).view({2, 1});
  expect_error<AliasedInPlace>("2 objects", [&] { view.add_(1); });
}

TEST(Paper2017, WithoutGradModeAliasesMayBeWritten) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const NoGradGuard no_grad;
  Tensor x = constant({1, 2});
  const Tensor view = x.view({2, 1});
  x.add_(1);
  expect_values(view, {2, 3});
}

TEST(Paper2017, B10_ANeededAndOverwrittenValueIsNotCopied) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const Tensor w = leaf({2, 3});
  Tensor x = w * 1;
  const Unchanged before({x});
  const int64_t copies = counters().self_copies;
  expect_error<OverwrittenInput>("needs the value it overwrites", [&] { x.square_(); });
  expect_error<OverwrittenInput>("needs the value it overwrites", [&] { x.mul_(w); });
  before.check();
  EXPECT_EQ(counters().self_copies, copies);
  x.mul_(2);
  x.tanh_();
  x.sum().backward();
}

TEST(Paper2017, SavedValuesAreCheckedByTheVersionOfTheWholeStorage) {
  const Tensor x = leaf({1, 2});
  Tensor c = constant({3, 4, 5, 6});
  Tensor by_region = (x * as_strided(c, {2}, {1}, 0)).sum(), by_storage;
  {
    const AliasPolicyGuard policy(AliasPolicy::Paper2017);
    by_storage = (x * as_strided(c, {2}, {1}, 0)).sum();
  }
  as_strided(c, {1}, {1}, 3).fill_(0);
  by_region.backward();
  EXPECT_THROW(by_storage.backward(), SavedTensorModified);
}

}  // namespace
}  // namespace notape::testing
