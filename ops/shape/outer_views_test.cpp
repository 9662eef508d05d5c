// Views that show memory which their base does not, or no longer: nothing that is written or read
// through them may lose its derivative in silence.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

namespace forward_ad = autograd::forward_ad;

Tensor dual(const NestedNumbers& value, const NestedNumbers& tangent) {
  return forward_ad::make_dual(constant(value), constant(tangent)) * 1;
}
Tensor tangent(const Tensor& of) { return forward_ad::unpack_dual(of).tangent; }

/// y, of which as_strided_ has left one entry, and a view of the others.
struct Narrowed {
  Tensor w = leaf({2, 3, 4}), y = w * 1, v = y.slice(0, 1, 3);
  Narrowed() { y.as_strided_({1}, {1}, 0); }
};

TEST(OuterViews, OfANarrowedBaseAreNotWritten) {
  Narrowed n;
  expect_error<AmbiguousViewWrite>("does not show", [&] { n.v.mul_(10); });
  expect_values(n.v, {3, 4});
  const NoGradGuard no_grad;
  n.v.mul_(10);
  expect_values(n.v, {30, 40});
}

TEST(OuterViews, OfANarrowedBaseKeepTheirGradient) {
  Narrowed n;
  expect_values(autograd::grad({(n.v * n.v).sum()}, {n.w})[0], {0, 6, 8});
}

TEST(OuterViews, OfANarrowedBaseAreUnknownOnceItIsWritten) {
  const Tensor w = leaf({2, 3, 4}), y = w * 1, v = y.slice(0, 0, 3);
  y.as_strided_({1}, {1}, 0);
  y.mul_(10);
  expect_error<AmbiguousViewWrite>("does not show any more", [&] { (void)(v * 1); });
}

TEST(OuterViews, OfANarrowedBaseAreNotMadeAgain) {
  Narrowed n;
  expect_error<MemoryOverlap>("showed more memory", [&] { n.y.as_strided({3}, {1}, 0); });
}

TEST(OuterViews, OfAResizedConstantAreNotWrittenInGradMode) {
  const Tensor w = leaf({2, 3}), x = constant({1, 2, 3, 4}), v = x.slice(0, 2, 4);
  x.resize_({2});
  expect_error<AmbiguousViewWrite>("does not show", [&] { v.mul_(w); });
  v.mul_(constant({2, 3}));
  expect_values(v, {6, 12});
}

TEST(OuterViews, BeyondADetachedPartAreNotWrittenInGradMode) {
  const Tensor w = leaf({10}), part = constant({1, 2}).slice(0, 0, 1).detach();
  const Tensor v = as_strided(part, {2}, {1}, 0);
  expect_error<AmbiguousViewWrite>("does not show", [&] { v.mul_(w); });
  expect_values(v, {1, 2});
}

TEST(OuterViews, InGapsOfAStridedBaseAreFoundToo) {
  const Tensor w = leaf({10}), even = constant({1, 2, 3, 4}).slice(0, 0, 4, 2).detach();
  const Tensor odd = as_strided(even, {1}, {1}, 1), second = even.slice(0, 1, 2);
  expect_error<AmbiguousViewWrite>("does not show", [&] { odd.mul_(w); });
  second.mul_(w);
  expect_values(autograd::grad({even.sum()}, {w})[0], {3});
}

TEST(OuterViews, HaveNoTangentOnceTheirBaseIsNarrowed) {
  const forward_ad::DualLevelGuard level;
  const Tensor y = dual({1, 2, 3}, {1, 2, 3}), v = y.slice(0, 1, 3);
  y.as_strided_({1}, {1}, 0);
  expect_values(tangent(y), {1});
  expect_error<TangentError>("does not show any more", [&] { (void)(v * 1); });
}

TEST(OuterViews, TakeNoTangentBeyondTheirBase) {
  const forward_ad::DualLevelGuard level;
  const Tensor part = constant({1, 2}).slice(0, 0, 1).detach();
  const Tensor v = as_strided(part, {2}, {1}, 0);
  expect_error<AmbiguousViewWrite>("does not show", [&] { v.mul_(dual({10}, {1})); });
  expect_values(v, {1, 2});
}

TEST(InPlaceViews, OfViewsKeepTheTangentInCommon) {
  const forward_ad::DualLevelGuard level;
  const Tensor y = dual({1, 2}, {3, 4}), v = y.view({2, 1});
  v.t_();
  v.mul_(10);
  expect_values(tangent(y), {30, 40});
  y.mul_(2);
  expect_values(tangent(v), {60, 80});
  EXPECT_EQ(tangent(v).sizes(), IntArrayRef({1, 2}));
}

TEST(InPlaceViews, OfADualTakeItsTangentAlong) {
  const forward_ad::DualLevelGuard level;
  const Tensor y = forward_ad::make_dual(constant({1, 2}), constant({3, 4}));
  const Tensor v = y.slice(0, 0, 1);
  y.unsqueeze_(0);
  y.mul_(10);
  expect_values(tangent(y), {30, 40});
  expect_values(tangent(v), {30});
}

TEST(Resize, RefusesADual) {
  const forward_ad::DualLevelGuard level;
  for (const int64_t size : {2, 5}) {
    const Tensor y = dual({1, 2, 3}, {1, 2, 3});
    expect_error<TangentError>("cannot resize a tensor that has a tangent",
                               [&] { y.resize_({size}); });
    expect_values(y, {1, 2, 3});
  }
}

}  // namespace
}  // namespace notape::testing
