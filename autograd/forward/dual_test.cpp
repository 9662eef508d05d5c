// Forward mode: dual numbers on every level, through views, writes and the reverse mode.
#include "autograd/forward/dual.h"

#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using namespace autograd::forward_ad;
using autograd::grad;

Tensor tangent(const Tensor& t) { return unpack_dual(t).tangent; }

TEST(Dual, TangentsFollowTheChainRule) {
  const DualLevelGuard level;
  const Tensor x = make_dual(constant({2, 3}), constant({1, 10}));
  expect_values(tangent(x * x), {4, 60});
  expect_values(tangent(x * 3 + 1), {3, 30});
  expect_values(tangent(-(x - x * 2)), {1, 10});
  expect_values(tangent((x * constant({5, 7})).sum()), {75});
  const std::vector<double> t = values(constant({2, 3}).tanh());
  expect_values(tangent(x.tanh()), {1 - t[0] * t[0], 10 * (1 - t[1] * t[1])}, 1e-15);
  EXPECT_FALSE(tangent(constant({1}) * 2).defined());
  expect_values(unpack_dual(x * x).primal, {4, 9});
}

TEST(Dual, ConstantsBroadcastAndTypesConvert) {
  const DualLevelGuard level;
  const Tensor row = make_dual(constant({1, 2}), constant({1, 10}));
  const Tensor sum = row + constant({{0}, {0}, {0}});
  EXPECT_EQ(tangent(sum).sizes(), IntArrayRef({3, 2}));
  expect_values(tangent(sum), {1, 10, 1, 10, 1, 10});
  const Tensor single = row.to(kFloat32);
  EXPECT_EQ(tangent(single).dtype(), kFloat32);
  const Tensor number = make_dual(scalar_tensor(2, kFloat64), scalar_tensor(1, kFloat64));
  EXPECT_EQ(tangent(ones({3}) * number).dtype(), kFloat32);
  expect_values(tangent(ones({3}) * number), {1, 1, 1});
}

TEST(Dual, MakeDualChecksTheTangent) {
  expect_error<DualLevelError>("only inside a DualLevelGuard",
                               [] { make_dual(constant({1}), constant({1})); });
  expect_error<DualLevelError>("only inside", [] { unpack_dual(constant({1})); });
  const DualLevelGuard level;
  expect_error<TangentError>("has a different size than that of the original Tensor", [] {
    make_dual(constant({1, 2}), constant({1}));
  });
  expect_error<TangentError>("the tangent is float32", [] {
    make_dual(constant({1, 2}), ones({2}));
  });
  const Tensor x = make_dual(constant({1}), constant({1}));
  expect_error<TangentError>("already has a tangent at level", [&] { make_dual(x, x); });
}

// As in LibTorch: the tensor loses its tangent, and views that were made before keep theirs.
TEST(Dual, DetachInPlaceDropsTheTangent) {
  const DualLevelGuard level;
  const Tensor x = make_dual(constant({1, 2}), constant({1, 1}));
  Tensor y = x * x;
  y.detach_();
  EXPECT_FALSE(tangent(y).defined());
  expect_values(tangent(y * x), {1, 4});
  Tensor z = x * x;
  const Tensor view = z[1], other = z.view({2, 1}), primal = unpack_dual(z).primal;
  z.detach_();
  EXPECT_FALSE(tangent(z).defined());
  EXPECT_FALSE(tangent(z[1]).defined());
  expect_values(tangent(view), {4});
  expect_values(tangent(other), {2, 4});
  EXPECT_FALSE(tangent(primal).defined());
  // A new tangent is the tensor's own.
  z.add_(x);
  expect_values(tangent(z), {1, 1});
  expect_values(tangent(view), {4});
  z.detach_();
  EXPECT_FALSE(tangent(z).defined());
}

TEST(Dual, DetachInPlaceLeavesOuterLevelsToAliases) {
  const DualLevelGuard outer;
  const Tensor x = make_dual(constant({3}), constant({1}));
  Tensor y = x * x;
  Tensor alias;
  {
    const DualLevelGuard inner;
    alias = make_dual(y, constant({1}));
  }
  y.detach_();
  EXPECT_FALSE(tangent(y).defined());
  expect_values(tangent(alias), {6});
}

TEST(Dual, LevelsAreExitedInReverseOrder) {
  const uint64_t outer = enter_dual_level(), inner = enter_dual_level();
  EXPECT_LT(outer, inner);
  EXPECT_EQ(current_level(), inner);
  expect_error<DualLevelError>("is not the last that was created", [&] { exit_dual_level(outer); });
  exit_dual_level(inner);
  exit_dual_level(outer);
  EXPECT_THROW(exit_dual_level(outer), DualLevelError);
}

TEST(Dual, OtherThreadsDoNotSeeALevel) {
  const DualLevelGuard level;
  const Tensor x = make_dual(constant({1, 2}), constant({1, 1}));
  std::thread([&] {
    EXPECT_THROW(current_level(), DualLevelError);
    const DualLevelGuard own;
    EXPECT_FALSE(tangent(x * x).defined());
  }).join();
  expect_values(tangent(x * x), {2, 4});
}

// d/dx (x * d/dy (x + y)) = 1; confusing the two perturbations gives 2.
TEST(Dual, PerturbationsOfDifferentLevelsAreNotConfused) {
  const DualLevelGuard outer;
  const Tensor x = make_dual(constant({3}), constant({1}));
  Tensor inner_derivative;
  {
    const DualLevelGuard inner;
    const Tensor y = make_dual(constant({5}), constant({1}));
    inner_derivative = tangent(x + y);
  }
  expect_values(inner_derivative, {1});
  expect_values(tangent(x * inner_derivative), {1});
}

TEST(Dual, NestedLevelsGiveHigherDerivatives) {
  const DualLevelGuard first;
  const Tensor x = make_dual(constant({2}), constant({1}));
  Tensor once;
  {
    const DualLevelGuard second;
    const Tensor xx = make_dual(x, constant({1}));
    once = tangent(xx * xx * xx);
  }
  expect_values(once, {12});
  expect_values(tangent(once), {12});
  expect_values(tangent(x * x * x), {12});
}

Tensor f(const Tensor& x) { return (x.tanh() * x.square() + x * 3).sum(); }

TEST(Dual, ViewsCarryTheViewOfTheTangent) {
  const DualLevelGuard level;
  const Tensor x = make_dual(constant({1, 2, 3, 4}), constant({1, 10, 100, 1000}));
  expect_values(tangent(x.view({2, 2})), {1, 10, 100, 1000});
  expect_values(tangent(as_strided(x, {2}, {2}, 1)), {10, 1000});
  expect_values(tangent(as_strided(x.view({2, 2}), {2, 2}, {1, 2})), {1, 100, 10, 1000});
}

TEST(Dual, WritesChangeTangentsWithValues) {
  const DualLevelGuard level;
  const Tensor x = make_dual(constant({1, 2}), constant({1, 10}));
  Tensor y = x * 1;
  y.mul_(3);
  expect_values(tangent(y), {3, 30});
  y.mul_(x);
  expect_values(tangent(y), {6, 120});
  y.mul_(y);
  expect_values(tangent(y), {36, 2880});
  y.tanh_();
  y.fill_(2);
  expect_values(tangent(y), {0, 0});
  y.copy_(x);
  expect_values(tangent(y), {1, 10});
}

TEST(Dual, AWriteFromAnotherDualOfTheSameMemoryTakesItsTangent) {
  const DualLevelGuard level;
  const Tensor plain = constant({2, 3});
  const Tensor dual = make_dual(plain, constant({1, 10}));
  Tensor none = plain.data();
  none.add_(dual);
  expect_values(none, {4, 6});
  expect_values(tangent(none), {1, 10});
  Tensor product = plain.data();
  product.mul_(dual);
  expect_values(tangent(product), {4, 60});
  Tensor one = dual;
  one.copy_(plain);
  EXPECT_THAT(values(tangent(one)), ::testing::Each(0.0));
}

TEST(Dual, SetDataKeepsTheTangentOfATensorThatIsAlone) {
  const DualLevelGuard level;
  const Tensor x = make_dual(constant({1, 2, 3}), constant({1, 10, 100})) * 1;
  x.set_data(constant({7, 4, 5, 6}).slice(0, 1, 4));
  expect_values(x, {4, 5, 6});
  expect_values(tangent(x * 2), {2, 20, 200});
  const Tensor view = x.slice(0, 1, 3);
  expect_error<SetDataError>("but 2 objects share it", [&] { x.set_data(constant({1, 2, 3})); });
  expect_values(tangent(view), {10, 100});
}

TEST(Dual, DetachLeavesTheTangentBehindAndNoGradDoesNotMatter) {
  const DualLevelGuard level;
  const Tensor x = make_dual(constant({2, 3}), constant({1, 1}));
  EXPECT_FALSE(tangent(x.detach()).defined());
  expect_values(tangent(x * x.detach()), {2, 3});
  const NoGradGuard no_grad;
  expect_values(tangent(x * x), {4, 6});
}

TEST(Dual, NothingLeaks) {
  const NothingLeaks guard;
  const DualLevelGuard level;
  const Tensor x = make_dual(leaf({2, 3}), constant({1, 1}));
  Tensor y = x * x;
  as_strided(y, {1}, {1}).mul_(x.view({2, 1}).sum());
  f(y).backward();
}

}  // namespace
}  // namespace notape::testing
