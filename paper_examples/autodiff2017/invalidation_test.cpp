// 2017 paper, 3.1 Invalidation.
#include <gmock/gmock.h>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

using ::testing::HasSubstr;

Variable half() { return tensor({0.5}, dtype(kFloat64).requires_grad(true)); }

TEST(Invalidation, A34_TheProgramNamesSaverAndWriterWithTheirLines) {
  const Output output = output_of(invalidation);
  EXPECT_EQ(output.status, 0);
  if (!kProvenance) GTEST_SKIP() << "this build knows no places";
  EXPECT_THAT(output.text, HasSubstr("tanh (TanhBackward0) at " +
                                     place_of("invalidation.cpp", "Variable y = x.tanh()")));
  EXPECT_THAT(output.text,
              HasSubstr("overwritten by add_ at " + place_of("invalidation.cpp", "  y.add_(3);")));
}

TEST(Invalidation, A34_InvalidationFailsInBackward) {
  Variable x = half();
  Variable y = x.tanh();
  EXPECT_NO_THROW(y.add_(3));
  EXPECT_THROW(y.backward(), SavedTensorModified);
}

TEST(Invalidation, A34_FailureChangesNoGradAnywhere) {
  Variable x = half(), other = half();
  x.set_grad(tensor({7.}, kFloat64));
  Variable y = x.tanh();
  Variable z = y * other;  // saves y, too
  y.add_(3);
  EXPECT_THROW((z + y).backward(), SavedTensorModified);
  EXPECT_EQ(x.grad().item(), 7);
  EXPECT_FALSE(other.grad().defined());
}

TEST(Invalidation, A36_SavingAndReadingLeaveTheVersionAndEveryWriteAddsOne) {
  Variable x = half();
  Variable y = x * 1;
  Variable alias = y.view({1});
  EXPECT_EQ(y._version(), 0u);
  (y * x).tanh();
  EXPECT_EQ(y._version(), 0u);
  y.add_(1);
  EXPECT_EQ(y._version(), 1u);
  alias.mul_(2);
  EXPECT_EQ(y._version(), 2u);
  EXPECT_EQ(alias._version(), 2u);
}

TEST(Invalidation, A36_VersionsAreComparedAtUseNotAtTheWrite) {
  Variable x = half();
  Variable y = x.tanh();
  Variable unharmed = y + 1;  // saves nothing
  y.mul_(2);
  EXPECT_THROW(autograd::grad({y}, {x}), SavedTensorModified);
  EXPECT_THROW(autograd::grad({unharmed}, {x}), SavedTensorModified);  // through tanh again
  EXPECT_EQ(autograd::grad({x + 1}, {x})[0].item(), 1);
}

}  // namespace
}  // namespace notape::paper
