// t_, transpose_, squeeze_, unsqueeze_, as_strided_, resize_: the tensor changes its own geometry.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(InPlaceViews, ChangeGeometryAndHistoryButWriteNothing) {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}});
  Tensor y = x * 1;
  const Tensor square = y * y;
  y.t_();
  EXPECT_EQ(y.sizes(), IntArrayRef({3, 2}));
  EXPECT_EQ(y._version(), 0u);
  (y * constant({{1, 2}, {3, 4}, {5, 6}})).sum().backward({}, true);
  expect_values(x.grad(), {1, 3, 5, 2, 4, 6});
  x.mutable_grad().reset();
  square.sum().backward();  // the snapshot of the old geometry
  expect_values(x.grad(), {2, 4, 6, 8, 10, 12});
}

TEST(InPlaceViews, EachDoesWhatItsViewDoes) {
  Tensor x = arange(6, kFloat64).reshape({1, 2, 3}).clone();
  x.transpose_(1, 2);
  EXPECT_EQ(x.sizes(), IntArrayRef({1, 3, 2}));
  x.squeeze_(0).unsqueeze_(-1);
  EXPECT_EQ(x.sizes(), IntArrayRef({3, 2, 1}));
  x.squeeze_().swapdims_(0, 1);
  EXPECT_EQ(x.sizes(), IntArrayRef({2, 3}));
  x.as_strided_({2}, {3}, 1);
  expect_values(x, {1, 4});
}

TEST(InPlaceViews, WritesBeforeAndAfterReachTheRightCells) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  Tensor y = x * 1;
  const Tensor row = y[0];
  y.t_();
  Tensor column = y[0];  // elements 0 and 2 of the storage
  column.mul_(10);
  (y * constant({{1, 2}, {3, 4}})).sum().backward({}, true);
  expect_values(x.grad(), {10, 3, 20, 4});
  x.mutable_grad().reset();
  row.sum().backward();
  expect_values(x.grad(), {10, 1, 0, 0});
}

TEST(InPlaceViews, ObeyTheLeafRuleAndTags) {
  Tensor x = leaf({{1, 2}, {3, 4}});
  const Unchanged unchanged({x});
  expect_error<LeafInPlace>("t_: a leaf Variable that requires grad", [&] { x.t_(); });
  expect_error<LeafInPlace>("a view of a leaf", [&] { x[0].unsqueeze_(0); });
  Tensor y = x * 1, tagged;
  {
    const NoGradGuard no_grad;
    tagged = y.view({4});
  }
  expect_error<AmbiguousViewWrite>("no_grad mode", [&] { tagged.unsqueeze_(0); });
  unchanged.check();
  const NoGradGuard no_grad;
  Tensor(x).t_();
}

TEST(InPlaceViews, TangentsGoAlong) {
  const autograd::forward_ad::DualLevelGuard level;
  Tensor y = autograd::forward_ad::make_dual(constant({{1, 2}}), constant({{3, 4}})) * 2;
  y.t_();
  const Tensor tangent = autograd::forward_ad::unpack_dual(y).tangent;
  EXPECT_EQ(tangent.sizes(), IntArrayRef({2, 1}));
  expect_values(tangent, {6, 8});
}

TEST(Resize, CountsAsAWriteOnlyIfSizesChangeAndKeepsValues) {
  Tensor x = constant({1, 2, 3, 4});
  x.resize_({4});
  EXPECT_EQ(x._version(), 0u);
  x.resize_({2});
  EXPECT_EQ(x._version(), 1u);
  expect_values(x, {1, 2});
  x.resize_({2, 2});
  expect_values(x, {1, 2, 3, 4});
  const Tensor saved = leaf({5, 6, 7, 8}).view({2, 2}) * x;
  x.resize_({9});
  EXPECT_EQ(x.numel(), 9);
  expect_values(x.slice(0, 0, 4), {1, 2, 3, 4});
  Tensor y = leaf({1});
  expect_error<ResizeRequiresGrad>("cannot resize variables that require grad",
                                   [&] { y.resize_({2}); });
}

TEST(Resize, ThatGrowsTheMemoryNeverCutsItFromItsAliases) {
  const auto refused = [](const Tensor& shared, Tensor target) {
    const Unchanged before({shared, target});
    expect_error<AliasedInPlace>("other tensors (aliases, views or their bases) share the storage",
                                 [&] { target.resize_({100}); });
    before.check();
    EXPECT_TRUE(target.is_alias_of(shared));
    target.fill_(7);
    EXPECT_EQ(shared.view({-1})[1].item(), 7);
  };
  const auto x = [] { return constant({3, 4, 5}); };
  const Tensor base = x(), viewed = x(), detached = x(), data = x();
  const Tensor view = base.slice(0, 1, 3);
  refused(view, base);
  refused(viewed, viewed.slice(0, 1, 3));
  refused(detached, detached.detach());
  refused(data, data.data());
  // Whoever has it alone may: a saved value keeps what it saved.
  Tensor alone = x(), handle = alone;
  const Tensor w = leaf({1, 1, 1}), y = alone * w;
  handle.resize_({100});
  EXPECT_EQ(alone.numel(), 100);
  // What fits takes no new memory.
  Tensor part = detached.slice(0, 0, 1);
  part.resize_({3});
  EXPECT_TRUE(part.is_alias_of(detached));
}

TEST(Out, WritesTheResultAndRefusesGradients) {
  const Tensor a = constant({1, 2}), b = constant({3, 4});
  Tensor out = zeros({2}, kFloat64);
  add_out(out, a, b, 10);
  expect_values(out, {31, 42});
  mul_out(out, out, b);
  expect_values(out, {93, 168});
  Tensor empty = zeros({0}, kFloat64);
  sub_out(empty, a, b);
  expect_values(empty, {-2, -2});
  div_out(empty, b, a);
  expect_values(empty, {3, 2});
  const Tensor x = leaf({1, 2});
  expect_error<OutRequiresGrad>("don't support automatic differentiation",
                                [&] { add_out(out, x, b); });
  expect_values(out, {93, 168});
  const NoGradGuard no_grad;
  add_out(out, x, b);
  expect_values(out, {4, 6});
}

}  // namespace
}  // namespace notape::testing
