// The alias policies CowSave and Guarded (SEMANTICS: "Policies").
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(CowSave, AValueAboutToBeOverwrittenIsCopiedFirst) {
  const NothingLeaks guard;
  const AliasPolicyGuard policy(AliasPolicy::CowSave);
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1;
  const Tensor z = y.square();
  const int64_t copies = counters().cow_copies;
  y.add_(100);
  EXPECT_EQ(counters().cow_copies, copies + 1);
  y.add_(100);
  EXPECT_EQ(counters().cow_copies, copies + 1);
  z.sum().backward();
  expect_values(x.grad(), {4, 6});
}

TEST(CowSave, AWriteElsewhereCopiesNothing) {
  const AliasPolicyGuard policy(AliasPolicy::CowSave);
  const Tensor x = leaf({2, 3, 4});
  Tensor y = x * 1;
  const Tensor z = y.slice(0, 0, 2).square();
  const int64_t copies = counters().cow_copies;
  y[2].mul_(10);
  EXPECT_EQ(counters().cow_copies, copies);
  z.sum().backward();
  expect_values(x.grad(), {4, 6, 0});
}

TEST(CowSave, AcceptsAnOperationThatOverwritesWhatItSaved) {
  const Tensor x = leaf({2, 3});
  {
    const AliasPolicyGuard policy(AliasPolicy::CowSave);
    Tensor y = x * 1;
    y.mul_(y);
    y.sum().backward();
  }
  expect_values(x.grad(), {4, 6});
}

TEST(CowSave, BothSaveAndWriteMustBeUnderThePolicy) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1, z;
  {
    const AliasPolicyGuard policy(AliasPolicy::CowSave);
    z = y.square();
  }
  y.add_(1);
  expect_error<SavedTensorModified>("modified by an inplace operation",
                                    [&] { z.sum().backward(); });
  const Tensor w = y.square();
  const AliasPolicyGuard policy(AliasPolicy::CowSave);
  y.add_(1);
  EXPECT_THROW(w.sum().backward(), SavedTensorModified);
}

TEST(CowSave, HigherOrderGoesThroughTheCopy) {
  const AliasPolicyGuard policy(AliasPolicy::CowSave);
  const Tensor x = leaf({2});
  Tensor y = x * 1;
  const Tensor z = y * y * y;
  y.zero_();
  const Tensor g = autograd::grad({z}, {x}, {constant({1})}, true, true)[0];
  expect_values(g, {12});
  expect_values(autograd::grad({g}, {x}, {constant({1})})[0], {12});
}

TEST(CowSave, DoesNotKeepWhatARawWriteHasSpoiled) {
  const AliasPolicyGuard policy(AliasPolicy::CowSave);
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1;
  const Tensor z = y.square();
  y.data_ptr<double>()[0] = 7;  // nobody could copy before it
  y.zero_();
  EXPECT_THROW(z.sum().backward(), SavedTensorModified);
}

TEST(RawWrites, MutableDataPtrCountsAsAWrite) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1;
  const Tensor z = y.square();
  EXPECT_EQ(y.const_data_ptr<double>()[1], 3);
  EXPECT_EQ(y._version(), 0u);
  y.mutable_data_ptr<double>()[0] = 1;
  EXPECT_EQ(y._version(), 1u);
  expect_error<SavedTensorModified>("overwritten by mutable_data_ptr", [&] { z.sum().backward(); });
}

}  // namespace
}  // namespace notape::testing
