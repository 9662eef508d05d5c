// Hooks: what they see, what they may change, in which order they run.
#include "autograd/graph/hooks.h"

#include <functional>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Hooks, A19_CalledOncePerRunWithTheSummedGradientBeforeTheProducers) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  std::vector<std::vector<double>> seen;
  bool x_was_done = false;
  x.register_hook([&](const Tensor&) { x_was_done = true; });
  y.register_hook([&](const Tensor& g) {
    seen.push_back(values(g));
    EXPECT_FALSE(x_was_done);
  });
  const Tensor z = (y * 2 + y * 5).sum();
  z.backward({}, true);
  EXPECT_TRUE(std::exchange(x_was_done, false));
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_THAT(seen[0], ElementsAre(7, 7));
  z.backward();
  EXPECT_EQ(seen.size(), 2u);
}

TEST(Hooks, CanBeRemovedTwiceButNotUnknown) {
  const Tensor x = leaf({1, 2});
  int first = 0, second = 0;
  const uint32_t a = x.register_hook([&](const Tensor&) { ++first; });
  const uint32_t b = x.register_hook([&](const Tensor&) { ++second; });
  EXPECT_NE(a, b);
  x.remove_hook(a);
  x.remove_hook(a);
  x.sum().backward();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  expect_error<HookError>("Invalid index, no hook at position 7", [&] { x.remove_hook(7); });
  expect_error<HookError>("Invalid index", [&] { constant({1}).remove_hook(0); });
}

TEST(Hooks, NeedATensorThatRequiresGrad) {
  expect_error<HookError>("cannot register a hook on a variable that doesn't require gradient",
                          [] { constant({1}).register_hook([](const Tensor&) {}); });
}

TEST(Hooks, A20_ReplaceGradientsInOrderOfRegistration) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  y.register_hook([](const Tensor& g) { return g + 1; });
  y.register_hook([](const Tensor&) { return Tensor(); });
  y.register_hook([](const Tensor& g) { return g * 10; });
  y.sum().backward();
  expect_values(x.grad(), {20, 20});
}

struct BadReplacement {
  const char* name;
  std::function<Tensor(const Tensor&)> hook;
  const char* message;
};

TEST(Hooks, AReplacementMustHaveTheSizeAndTypeOfTheGradient) {
  const std::vector<BadReplacement> table = {
      {"size",
       [](const Tensor&) {
         return constant({1, 2, 3});
       },
       "has changed the size of value"},
      {"broadcastable size",
       [](const Tensor&) {
         return constant({{1, 2}});
       },
       "changed the size"},
      {"type", [](const Tensor&) { return zeros({2}); }, "has changed the type of value"},
  };
  for (const BadReplacement& one : table) {
    SCOPED_TRACE(one.name);
    const Tensor x = leaf({1, 2});
    const Tensor y = x * 1;
    const uint32_t index = y.register_hook(one.hook);
    expect_error<HookError>(one.message, [&] { y.sum().backward({}, true); });
    EXPECT_FALSE(x.grad().defined());
    y.remove_hook(index);
    y.sum().backward();  // the engine and the graph can be used again
    expect_values(x.grad(), {1, 1});
  }
}

TEST(Hooks, PreHooksOfNodesAreHeldToTheSameRule) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  y.grad_fn()->make_hooks().pre_hooks.push_back([](const variable_list&) {
    return variable_list{constant({1, 2, 3})};
  });
  expect_error<HookError>("has changed the size of value", [&] { y.sum().backward(); });
  EXPECT_FALSE(x.grad().defined());
}

TEST(Hooks, NodeHooksSeeAndReplaceGradients) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  std::vector<std::string> order;
  NodeHooks& hooks = y.grad_fn()->make_hooks();
  hooks.pre_hooks.push_back([&](const variable_list& gradients) {
    order.push_back("pre");
    return variable_list{gradients[0] * 2};
  });
  hooks.post_hooks.push_back([&](const variable_list& inputs, const variable_list& outputs) {
    order.push_back("post");
    EXPECT_THAT(values(inputs[0]), ElementsAre(6, 6));
    EXPECT_THAT(values(outputs[0]), ElementsAre(2, 2));
    return variable_list{inputs[0] + 1};
  });
  y.register_hook([&](const Tensor&) { order.push_back("tensor"); });
  y.retain_grad();
  y.sum().backward();
  EXPECT_THAT(order, ElementsAre("tensor", "pre", "post"));
  expect_values(y.grad(), {1, 1});
  expect_values(x.grad(), {7, 7});
}

TEST(Hooks, NodeHooksMustReturnAsManyGradientsAsTheyGot) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  y.grad_fn()->make_hooks().pre_hooks.push_back(
      [](const variable_list&) { return variable_list{}; });
  expect_error<HookError>("returned 0 gradients instead of 1", [&] { y.sum().backward(); });
  const Tensor z = x * 3;
  z.grad_fn()->make_hooks().post_hooks.push_back(
      [](const variable_list&, const variable_list&) { return variable_list(5); });
  expect_error<HookError>("returned 5 gradients instead of 1", [&] { z.sum().backward(); });
}

TEST(Hooks, WritingIntoAGradientChangesThatPathOnly) {
  const Tensor x = leaf({1, 2}), w = leaf({1, 2});
  const Tensor a = x * 1, b = w * 1;
  const Tensor seed = constant({1, 1});
  const int64_t copies = counters().hook_copies;
  a.register_hook([](const Tensor& g) { Tensor(g).mul_(100); });
  (a + b).backward(seed);
  expect_values(x.grad(), {100, 100});
  expect_values(w.grad(), {1, 1});
  expect_values(seed, {1, 1});
  EXPECT_GT(counters().hook_copies, copies);
}

TEST(Hooks, WhatAHookKeepsIsNotWrittenLater) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  Tensor kept;
  y.register_hook([&](const Tensor& g) { kept = g; });
  (y * 2).sum().backward({}, true);
  const Tensor leaf_gradient = x.grad();
  (y * 2).sum().backward();
  expect_values(kept, {2, 2});
  expect_values(leaf_gradient, {4, 4});
}

TEST(Hooks, SeeUndefinedGradientsAndCannotMakeThemDefined) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  std::vector<bool> defined;
  const uint32_t index = y.register_hook([&](const Tensor& g) { defined.push_back(g.defined()); });
  Tensor z = y * 1;
  z.fill_(3);  // overwritten: nothing flows into y
  z.sum().backward({}, true);
  EXPECT_THAT(defined, ElementsAre(false));
  EXPECT_FALSE(x.grad().defined()) << "undefined stays undefined into .grad";
  y.remove_hook(index);
  y.register_hook([](const Tensor&) { return constant({1, 2}); });
  expect_error<HookError>("can't replace a empty gradient with a non-empty value",
                          [&] { z.sum().backward(); });
}

TEST(Hooks, OfAnOverwrittenValueSeeZeros) {
  for (const bool copies : {false, true}) {
    const Tensor x = leaf({1, 2}), w = leaf({3, 4});
    Tensor y = x * 3;
    y.register_hook([](const Tensor& g) { return g * 2; });
    copies ? y.copy_(w) : y.zero_();
    (y + x).sum().backward();
    expect_values(x.grad(), {1, 1});
    if (copies) expect_values(w.grad(), {1, 1});
  }
}

TEST(Hooks, StayWithTheHistoryTheyWereRegisteredOn) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  std::vector<double> of_old, of_new;
  y.register_hook([&](const Tensor& g) { of_old = values(g); });
  y.mul_(4);
  y.register_hook([&](const Tensor& g) { of_new = values(g); });
  y.sum().backward();
  EXPECT_THAT(of_old, ElementsAre(4, 4));
  EXPECT_THAT(of_new, ElementsAre(1, 1));
}

TEST(Hooks, RetainedGradientsFollowTheNewestValue) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  y.retain_grad();
  y.retain_grad();  // idempotent
  EXPECT_TRUE(y.retains_grad());
  y.mul_(4);
  as_strided(y, {1}, {1}).mul_(2);
  (y * 3).sum().backward({}, true);
  expect_values(y.grad(), {3, 3});
  expect_values(x.grad(), {24, 12});
  (y * 3).sum().backward();
  expect_values(y.grad(), {6, 6});
  x.retain_grad();
  EXPECT_FALSE(x.retains_grad()) << "a leaf keeps it anyway";
  expect_error<RetainGradError>("can't retain_grad on Tensor that has requires_grad=False",
                                [] { constant({1}).retain_grad(); });
}

TEST(Hooks, RetainedGradientsOfAViewFollowWritesToItsBase) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const Tensor view = y.view({2, 1});
  view.retain_grad();
  y.mul_(4);
  (view * 3).sum().backward();
  expect_values(view.grad(), {3, 3});
}

TEST(Hooks, RetainedGradientsSeeEveryTensorHookHoweverRegistered) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  y.retain_grad();
  y.register_hook([](const Tensor& g) { return g * 10; });
  y.sum().backward();
  expect_values(y.grad(), {10, 10});
}

TEST(Hooks, ARetainedTensorMayDieBeforeBackward) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  Tensor z;
  {
    const Tensor y = x * 2;
    y.retain_grad();
    z = (y * 3).sum();
  }
  z.backward();
  expect_values(x.grad(), {6, 6});
}

TEST(Hooks, PostAccumulateHooksSeeTheUpdatedGradientAndMayStep) {
  const Tensor x = leaf({1, 2});
  x.register_post_accumulate_grad_hook([](const Tensor& parameter) {
    const NoGradGuard no_grad;
    Tensor(parameter).sub_(parameter.grad(), 0.5);
    parameter.mutable_grad() = Tensor();
  });
  (x * 2).sum().backward();
  expect_values(x, {0, 1});
  EXPECT_FALSE(x.grad().defined());
}

TEST(Hooks, RunInTheGradModeOfTheRun) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * x;
  std::vector<bool> modes;
  y.register_hook([&](const Tensor&) { modes.push_back(GradMode::is_enabled()); });
  y.sum().backward({}, true);
  autograd::grad({y.sum()}, {x}, {}, true, true);
  EXPECT_THAT(modes, ElementsAre(false, true));
  EXPECT_TRUE(GradMode::is_enabled());
}

TEST(Hooks, MayBeAddedDuringARunForNodesNotYetStarted) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1, z = y * 1;
  int late = 0;
  z.register_hook([&](const Tensor&) { y.register_hook([&](const Tensor&) { ++late; }); });
  z.sum().backward();
  EXPECT_EQ(late, 1);
}

}  // namespace
}  // namespace notape::testing
