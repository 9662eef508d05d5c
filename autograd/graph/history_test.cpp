// Families of views: whose history is whose, when it is brought up to date, and what it costs.
#include "autograd/graph/history.h"

#include <atomic>
#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

std::vector<double> gradient(const Tensor& of, const Tensor& with_respect_to) {
  return values(autograd::grad({of.sum()}, {with_respect_to}, {}, true)[0]);
}

TEST(History, A37_ViewsShareStorageVersionAndValues) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  Tensor y = x * 1;
  const std::vector<Tensor> views = {y.view({4}), as_strided(y, {2, 2}, {1, 2}),
                                     y.expand({3, 2, 2}), as_strided(y, {1}, {1}, 3)};
  for (const Tensor& v : views) {
    EXPECT_TRUE(v.is_alias_of(y));
    EXPECT_TRUE(v.is_view());
    EXPECT_TRUE(v._base().is_same(y));
  }
  y.fill_(9);
  for (const Tensor& v : views) {
    EXPECT_THAT(values(v), ::testing::Each(9.0));
    EXPECT_EQ(v._version(), 1u);
  }
}

TEST(History, A39_NoNodeAtTheWriteAndOnePerAliasAtItsFirstUse) {
  for (const int count : {1, 10, 1000, 100'000}) {
    const Tensor x = leaf({1, 2, 3, 4});
    Tensor y = x * 1;
    std::vector<Tensor> aliases;
    for (int i = 0; i < count; ++i) aliases.push_back(y.view({2, 2}));
    const Counters before = counters();
    y.mul_(2);
    EXPECT_EQ(counters().nodes_created - before.nodes_created, 1) << "the write's own";
    EXPECT_EQ(counters().view_nodes, before.view_nodes);
    for (const Tensor& alias : aliases) alias.grad_fn();
    EXPECT_EQ(counters().view_nodes - before.view_nodes, count);
    for (const Tensor& alias : aliases) alias.grad_fn();
    EXPECT_EQ(counters().view_nodes - before.view_nodes, count) << "once each";
    EXPECT_THAT(gradient(aliases.back(), x), ElementsAre(2, 2, 2, 2));
  }
}

TEST(History, AWriteThatMissesAViewLeavesItsHistoryAlone) {
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1;
  const Tensor front = as_strided(y, {2}, {1}, 0);
  Tensor back = as_strided(y, {2}, {1}, 2);
  const NodeRef before = front.grad_fn();
  back.mul_(5);
  EXPECT_EQ(front.grad_fn(), before);
  EXPECT_NE(back.grad_fn(), before);
  EXPECT_THAT(gradient(front, x), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(gradient(back, x), ElementsAre(0, 0, 5, 5));
}

TEST(History, AStaleSiblingIsBroughtUpToDateInNoGradModeToo) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const Tensor sibling = y.view({2, 1});
  y.mul_(3);
  {
    const NoGradGuard no_grad;
    EXPECT_STREQ(sibling.grad_fn()->operator_name(), "mul_");
  }
  EXPECT_THAT(gradient(sibling, x), ElementsAre(3, 3));
}

TEST(History, ViewsMadeWithoutGradModeSayWhatTheirBaseSays) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1, view, of_leaf;
  {
    const NoGradGuard no_grad;
    view = y.view({2, 1});
    of_leaf = x.view({2, 1});
  }
  EXPECT_TRUE(view.requires_grad());
  EXPECT_TRUE(view.is_leaf());
  EXPECT_TRUE(of_leaf.requires_grad());
  Tensor deeper = view.view({1, 2});
  const Unchanged before({x, y, view, of_leaf, deeper});
  expect_error<AmbiguousViewWrite>(
      "A view was created in no_grad mode and is being modified inplace with grad mode enabled.",
      [&] { view.add_(1); });
  expect_error<AmbiguousViewWrite>("A view was created in no_grad mode", [&] { of_leaf.add_(1); });
  expect_error<AmbiguousViewWrite>("is a view of a view which was created in no_grad mode",
                                   [&] { deeper.add_(1); });
  before.check();
  const NoGradGuard no_grad;
  view.add_(1);
  deeper.add_(1);
  expect_values(y, {3, 4});
}

TEST(History, ViewsMadeWithoutGradModeMayBeWrittenWhereNothingRequiresGrad) {
  Tensor y = constant({1, 2}), view;
  {
    const NoGradGuard no_grad;
    view = y.view({2, 1});
  }
  view.add_(1);
  expect_values(y, {2, 3});
  const Unchanged before({y, view});
  expect_error<AmbiguousViewWrite>("no_grad mode", [&] { view.add_(leaf({{1}, {1}})); });
  before.check();
}

TEST(History, AnIndirectWriteUnderANoGradViewIsRefusedWhenTheViewIsUsed) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1, view;
  {
    const NoGradGuard no_grad;
    view = y.view({2, 1});
  }
  y.mul_(2);
  expect_error<AmbiguousViewWrite>("its base or another view of its base has been modified inplace",
                                   [&] { view.grad_fn(); });
  EXPECT_THAT(gradient(y, x), ElementsAre(2, 2));
}

TEST(History, TheWriteLogTellsFamiliesApart) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor y = x * 1;
  const Tensor view = y.view({2, 1});
  Tensor other_family = y.detach();
  other_family.mul_(w);
  EXPECT_TRUE(other_family.requires_grad());
  EXPECT_THAT(gradient(view, x), ElementsAre(1, 1)) << "the origin's history is kept";
  EXPECT_THAT(gradient(other_family, w), ElementsAre(1, 2));
}

TEST(History, DetachInPlaceAfterAWriteLeavesViewsWithTheWrite) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 1;
  Tensor first = as_strided(y, {2}, {1}, 0);
  const Tensor second = as_strided(y, {2}, {1}, 1);
  first.mul_(2);
  y.detach_();
  EXPECT_FALSE(y.requires_grad());
  EXPECT_THAT(gradient(first, x), ElementsAre(2, 2, 0));
  EXPECT_THAT(gradient(second, x), ElementsAre(0, 2, 1));
}

TEST(History, AWriteAfterDetachInPlaceStaysAmongTheViews) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 1;
  Tensor first = as_strided(y, {2}, {1}, 0);
  const Tensor second = as_strided(y, {2}, {1}, 1);
  y.detach_();
  first.mul_(2);
  EXPECT_FALSE(y.requires_grad()) << "y has left the family";
  EXPECT_THAT(gradient(first, x), ElementsAre(2, 2, 0));
  EXPECT_THAT(gradient(second, x), ElementsAre(0, 2, 1));
  Tensor anew = as_strided(y, {2}, {1}, 0);
  EXPECT_TRUE(anew._base().is_same(y));
  anew.mul_(5);
  EXPECT_THAT(gradient(second, x), ElementsAre(0, 2, 1)) << "written by another family";
}

TEST(History, AnAddressUsedAgainIsNoRelative) {
  const Tensor x = leaf({1, 2, 3}), w = leaf({2, 2, 2});
  Tensor y = x * 1;
  const Tensor view = as_strided(y, {2}, {1}, 0);
  int fired = 0;
  view.register_hook([&](const Tensor&) { ++fired; });
  y.detach().mul_(w);  // recorded in a family of its own, which ends here
  y.detach_();         // the view's new base is likely to lie where that family's base lay
  EXPECT_THAT(gradient(view * 1, x), ElementsAre(1, 1, 0));
  EXPECT_EQ(fired, 1) << "the view's history has been replaced";
}

TEST(History, ATensorMayLeaveSeveralFamilies) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  Tensor y = x * 1;
  const Tensor of_x = y.view({2, 1});
  y.detach_();
  y.mul_(w);
  const Tensor of_w = y.view({2, 1});
  y.detach_();
  y.mul_(x);
  const Tensor of_both = y.view({2, 1});
  EXPECT_THAT(gradient(of_x, x), ElementsAre(1, 1));
  EXPECT_THAT(gradient(of_w, w), ElementsAre(1, 2));
  EXPECT_THAT(gradient(of_both, x), ElementsAre(3, 8));
  Tensor write_x = of_x, write_w = of_w;
  write_x.mul_(10);
  write_w.mul_(100);
  EXPECT_THAT(gradient(of_x, x), ElementsAre(10, 10));
  EXPECT_THAT(gradient(of_w, w), ElementsAre(100, 200));
}

TEST(History, HooksOfAViewSurviveWritesElsewhere) {
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1;
  const Tensor front = as_strided(y, {2}, {1}, 0);
  int calls = 0;
  front.register_hook([&](const Tensor&) { ++calls; });
  front.retain_grad();
  as_strided(y, {2}, {1}, 2).mul_(5);
  front.sum().backward();
  EXPECT_EQ(calls, 1);
  expect_values(front.grad(), {1, 1});
}

TEST(History, HooksOfAViewFireForWritesThroughIt) {
  const Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1;
  Tensor view = as_strided(y, {2}, {1}, 0);
  std::vector<double> seen;
  view.register_hook([&](const Tensor& g) {
    seen = values(g);
    return g * 100;
  });
  view.mul_(constant({2, 3}));
  y.sum().backward();
  EXPECT_THAT(seen, ElementsAre(2, 3)) << "the gradient of the old value";
  expect_values(x.grad(), {200, 300, 1, 1});
}

TEST(History, ManyThreadsMayLookAtOneStaleViewAtOnce) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = leaf({1, 2, 3, 4});
    Tensor y = x * 1;
    const Tensor view = y.view({2, 2});
    y.mul_(3);
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        const Tensor g = autograd::grad({(view * 2).sum()}, {x}, {}, true)[0];
        right += values(g) == std::vector<double>(4, 6);
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(right, 4);
  }
}

TEST(History, OutputsOfMultiOutputViewsMayBeWritten) {
  const Tensor x = leaf({{1, 2}, {3, 4}, {5, 6}});
  Tensor y = x * 1;
  std::vector<Tensor> rows = y.unbind(0);
  rows[1].mul_(10);
  EXPECT_THAT(gradient(y, x), ElementsAre(1, 1, 10, 10, 1, 1));
  EXPECT_THAT(gradient(rows[1], x), ElementsAre(0, 0, 10, 10, 0, 0));
  EXPECT_THAT(gradient(rows[2], x), ElementsAre(0, 0, 0, 0, 1, 1));
  for (Tensor& part : y.split(2, 0)) part.add_(1);
  EXPECT_THAT(gradient(rows[1], x), ElementsAre(0, 0, 10, 10, 0, 0));
  expect_values(y, {2, 3, 31, 41, 6, 7});
}

TEST(History, ABaseWithAWindowSmallerThanItsStorage) {
  const Tensor w = leaf({2, 3});
  const Tensor all = constant({1, 2, 3, 4, 5, 6});
  Tensor base = as_strided(all, {2}, {1}, 1).detach();  // a family that sees elements 1 and 2
  base.mul_(w);
  Tensor wide = as_strided(base, {4}, {1}, 1);  // reaches beyond its base
  wide.mul_(10);
  EXPECT_THAT(gradient(base, w), ElementsAre(20, 30));
  EXPECT_THAT(gradient(wide, w), ElementsAre(20, 30));
}

TEST(History, AWindowThatWasConstantStaysSoThoughItsBaseIsNot) {
  const Tensor x = leaf({3});
  Tensor base = constant({1, 2});
  Tensor second = base.narrow(0, 1, 1);
  base.narrow(0, 0, 1).copy_(x);  // misses `second`
  second.mul_(x);
  EXPECT_THAT(gradient(base, x), ElementsAre(1 + 2));
}

TEST(History, AsStridedOfAViewReachesTheCellsOfItsBase) {
  const Tensor x = leaf({1, 2, 3, 4});
  EXPECT_THAT(gradient(as_strided(x.slice(0, 0, 1), {1}, {1}, 1), x), ElementsAre(0, 1, 0, 0));
  const Tensor y = (x * 2).view({2, 2});
  EXPECT_THAT(gradient(as_strided(y.t()[0], {2}, {1}, 1), x), ElementsAre(0, 2, 2, 0));
  EXPECT_THAT(gradient(as_strided(y[0].expand({3, 2}), {1}, {1}, 0), x), ElementsAre(2, 0, 0, 0));
  const Tensor shown_thrice = leaf({1}).detach().expand({3}).detach().requires_grad_();
  expect_error<MemoryOverlap>("shows one memory location at several places",
                              [&] { as_strided(shown_thrice, {1}, {1}, 0); });
}

TEST(History, AWriteToOneOfTheCellsThatABaseShowsTwiceIsRefused) {
  const Tensor x = leaf({5});
  const Tensor base = constant({1}).expand({3}).detach();
  Tensor first = base[0];
  expect_error<MemoryOverlap>("more than one element of the written-to tensor",
                              [&] { first.copy_(x[0]); });
  expect_values(base, {1, 1, 1});
  first.fill_(2);
  expect_values(base, {2, 2, 2});
}

TEST(History, ATaggedViewMayBeWrittenInNoGradModeAfterItsBaseWas) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1, view;
  {
    const NoGradGuard no_grad;
    view = y.slice(0, 0, 1);
  }
  y.mul_(x);
  const NoGradGuard no_grad;
  view.mul_(2);
  expect_values(y, {8, 9});
}

}  // namespace
}  // namespace notape::testing
