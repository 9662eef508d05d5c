// Structural zeros and user code: whoever sees or changes a gradient has an ordinary tensor in his
// hands, and no promise about zeros outlives a change of the values.
#include <cmath>
#include <limits>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::grad;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool has_promise(const Tensor& tensor) { return tensor.impl().has(TensorImpl::kSupport); }

/// sqrt(x) at [0, 4], of which only the second is selected; `watch` may hook on it.
template <typename Watch>
Tensor slope_of_selected_root(Watch watch) {
  const Tensor x = leaf({0, 4});
  const Tensor y = sqrt(x);
  watch(y);
  where(x > 1, y, 0).sum().backward();
  return x.grad();
}
/// With a hook on y.
template <typename Hook>
Tensor slope_with_hook(Hook hook) {
  return slope_of_selected_root([&](const Tensor& y) { y.register_hook(hook); });
}

TEST(StructuralZerosInUserCode, AHookThatOnlyLooksLeavesThem) {
  std::vector<double> seen;
  expect_values(slope_with_hook([&](const Tensor& g) {
                  seen = values(g);
                  EXPECT_EQ(g.sum().item(), 1);
                }),
                {0, 0.25});
  EXPECT_THAT(seen, ElementsAre(0, 1));
  expect_values(slope_with_hook([](const Tensor& g) { return g; }), {0, 0.25});
  expect_values(slope_with_hook([](const Tensor&) { return Tensor(); }), {0, 0.25});
}

TEST(StructuralZerosInUserCode, AHookThatKeepsTheGradientKeepsAPlainOne) {
  const NothingLeaks guard;
  Tensor kept;
  expect_values(slope_with_hook([&](const Tensor& g) { kept = g; }), {0, 0.25});
  expect_values(kept, {0, 1});
  EXPECT_FALSE(kept.is_view());
}

TEST(StructuralZerosInUserCode, AHooksReplacementIsTakenAsItIs) {
  expect_values(slope_with_hook([](const Tensor& g) { return g + 1; }), {kInfinity, 0.5});
  expect_values(slope_with_hook([](const Tensor& g) { return g * 2; })[1], {0.5});
  EXPECT_TRUE(std::isnan(values(slope_with_hook([](const Tensor& g) { return g * 2; }))[0]));
}

// A promise is only looked at where something is NaN, so the first entry stays zero here, and the
// third, zero too at first, becomes 1: sqrt has slope 1/6 there.
template <typename Hook>
void expect_third_counts(Hook hook, std::source_location at = std::source_location::current()) {
  for (const bool recorded : {false, true}) {
    const Tensor x = leaf({0, 4, 9});
    const Tensor y = sqrt(x);
    y.register_hook(hook);
    const Tensor z = where(constant({0, 1, 0}) > 0, y, 0).sum();
    const Tensor gradient = grad({z}, {x}, {}, {}, recorded)[0];
    EXPECT_TRUE(std::isnan(values(gradient)[0]));
    expect_values(gradient.slice(0, 1), {0.25, 1.0 / 6}, 1e-15, at);
  }
}

TEST(StructuralZerosInUserCode, AHookMayWriteWhereTheyWere) {
  expect_third_counts([](const Tensor& g) { g[2].fill_(1); });
  expect_third_counts([](const Tensor& g) {
    g[2].fill_(1);
    return g;
  });
  expect_third_counts([](const Tensor& g) { g.detach()[2].fill_(1); });
  expect_third_counts([](const Tensor& g) { g.data_ptr<double>()[2] = 1; });
  expect_third_counts([](const Tensor& g) { g.mutable_data_ptr<double>()[2] = 1; });
  expect_third_counts([](const Tensor& g) { g.set_data(constant({0, 1, 1})); });
  expect_third_counts([](const Tensor& g) { g.copy_(constant({0, 1, 1})); });
  expect_third_counts([](const Tensor& g) { return g + constant({0, 0, 1}); });
  expect_third_counts([](const Tensor&) { return constant({0, 1, 1}); });
}

TEST(StructuralZerosInUserCode, AHookMayTurnTheGradientAround) {
  const Tensor x = leaf({{0, 4}, {1, 1}});
  const Tensor y = sqrt(x);
  y.register_hook([](const Tensor& g) { g.t_(); });
  where(constant({{0, 1}, {0, 0}}) > 0, y, 0).sum().backward();
  // The gradient [[0, 1], [0, 0]] has become [[0, 0], [1, 0]].
  EXPECT_TRUE(std::isnan(values(x.grad())[0]));
  expect_values(x.grad()[1], {0.5, 0});
}

TEST(StructuralZerosInUserCode, AKeptGradientMayBeWrittenWhileItTravelsOn) {
  const Tensor x = leaf({0, 4, 9});
  const Tensor y = sqrt(x), between = x * 5, z = y + 0;
  Tensor kept;
  z.register_hook([&](const Tensor& g) { kept = g; });
  between.register_hook([&](const Tensor&) { kept[2].fill_(1); });
  (where(constant({0, 1, 0}) > 0, z, 0) + between).sum().backward();
  EXPECT_TRUE(std::isnan(values(x.grad())[0]));
  expect_values(x.grad().slice(0, 1), {5.25, 5 + 1.0 / 6}, 1e-15);
}

TEST(StructuralZerosInUserCode, RecordedHooksAreNoDifferent) {
  const Tensor x = leaf({0, 4});
  const Tensor y = sqrt(x);
  Tensor kept;
  y.register_hook([&](const Tensor& g) { kept = g; });
  const Tensor first = grad({where(x > 1, y, 0).sum()}, {x}, {}, {}, true)[0];
  expect_values(first, {0, 0.25});
  expect_values(grad({first.sum()}, {x})[0], {0, -1.0 / 32});
  EXPECT_FALSE(has_promise(kept));
}

TEST(StructuralZerosInUserCode, NodeHooksMayLookAndReplace) {
  expect_values(slope_of_selected_root([](const Tensor& y) {
                  y.grad_fn()->add_pre_hook([](const variable_list& all) { return all; });
                }),
                {0, 0.25});
  expect_values(slope_of_selected_root([](const Tensor& y) {
                  y.grad_fn()->add_pre_hook([](const variable_list& all) {
                    all[0].add_(1);
                    return all;
                  });
                }),
                {kInfinity, 0.5});
  expect_values(slope_of_selected_root([](const Tensor& y) {
                  y.grad_fn()->add_pre_hook(
                      [](const variable_list& all) { return variable_list{all[0] + 1}; });
                }),
                {kInfinity, 0.5});
  const auto slope_with_post_hook = [](auto hook) {
    const Tensor x = leaf({0, 4});
    const Tensor y = sqrt(x);
    const Tensor z = where(x > 1, y, 0);
    z.grad_fn()->add_post_hook(hook);
    z.sum().backward();
    return x.grad();
  };
  const auto look = [](const variable_list& results, const variable_list&) { return results; };
  expect_values(slope_with_post_hook(look), {0, 0.25});
  const auto write = [](const variable_list& results, const variable_list&) {
    results[1].add_(1);
    return results;
  };
  expect_values(slope_with_post_hook(write), {kInfinity, 0.5});
  const auto replace = [](const variable_list& results, const variable_list&) {
    return variable_list{{}, results[1] + 1};
  };
  expect_values(slope_with_post_hook(replace), {kInfinity, 0.5});
}

struct Straight : autograd::Function<Straight> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(autograd::AutogradContext*, variable_list gradients) {
    EXPECT_FALSE(has_promise(gradients[0]));
    return gradients;
  }
};
struct AddsOne : autograd::Function<AddsOne> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(autograd::AutogradContext*, variable_list gradients) {
    gradients[0].add_(1);
    return gradients;
  }
};

TEST(StructuralZerosInUserCode, AUserFunctionGetsAndGivesNumbers) {
  const Tensor x = leaf({0, 4});
  where(x > 1, Straight::apply(sqrt(x)), 0).sum().backward();
  EXPECT_TRUE(std::isnan(values(x.grad())[0]));
  const Tensor w = leaf({0, 4});
  where(w > 1, AddsOne::apply(sqrt(w)), 0).sum().backward();
  expect_values(w.grad(), {kInfinity, 0.5});
}

TEST(StructuralZerosInUserCode, SeedsAreNumbers) {
  const Tensor x = leaf({0, 4});
  const Tensor y = sqrt(x);
  y.backward(constant({0, 1}), true);
  EXPECT_TRUE(std::isnan(values(x.grad())[0]));
  // A gradient that came out of another run, too.
  const Tensor seed = grad({where(constant({0, 4}) > 1, y, 0).sum()}, {y}, {}, true)[0];
  expect_values(seed, {0, 1});
  EXPECT_FALSE(has_promise(seed));
  EXPECT_TRUE(std::isnan(values(grad({y}, {x}, {seed}, true)[0])[0]));
}

TEST(StructuralZerosInUserCode, WhatGradReturnsHasNoneAndWhatGoesOnHasThem) {
  const Tensor x = leaf({0, 4});
  const Tensor y = sqrt(x), z = y + 0;
  const variable_list all = grad({where(x > 1, z, 0).sum()}, {z, y, x});
  for (const Tensor& one : all) EXPECT_FALSE(has_promise(one));
  expect_values(all[0], {0, 1});
  expect_values(all[1], {0, 1});
  expect_values(all[2], {0, 0.25});
}

TEST(StructuralZerosInUserCode, ANodeCalledByHandReturnsPlainTensors) {
  const Tensor x = leaf({0, 4});
  const Tensor z = where(x > 1, x, 0);
  const variable_list results = (*z.grad_fn())(variable_list{constant({1, 1})});
  expect_values(results[1], {0, 1});
  EXPECT_FALSE(has_promise(results[1]));
}

TEST(StructuralZerosInUserCode, AConditionThatChangedMeanwhileSaysNothing) {
  const Tensor x = leaf({4, 0});
  Tensor condition = zeros({2}, kBool);
  condition[0].fill_(1);
  const Tensor y = sqrt(x), z = y * 1;
  z.register_hook([&](const Tensor&) {
    condition[0].fill_(0);
    condition[1].fill_(1);
  });
  where(condition, z, 0).sum().backward();
  expect_values(x.grad()[0], {0.25});
  EXPECT_TRUE(std::isnan(values(x.grad())[1]));
}

TEST(StructuralZerosInUserCode, AGradientMeetsThoseOfOtherPathsAndOfEarlierRuns) {
  const Tensor x = leaf({0, 4});
  where(x > 1, sqrt(x), 0).sum().backward();
  (x * 3).sum().backward();
  expect_values(x.grad(), {3, 3.25});
  where(x > 1, sqrt(x), 0).sum().backward();
  expect_values(x.grad(), {3, 3.5});
}

TEST(StructuralZerosInUserCode, AnInferenceModeBackwardGoesWithout) {
  const Tensor x = leaf({0, 4});
  const Tensor z = where(x > 1, sqrt(x), 0).sum();
  const InferenceMode inference;
  z.backward();
  EXPECT_TRUE(std::isnan(values(x.grad())[0]));
}

TEST(StructuralZerosInUserCode, AtomicBackwardAndInputsGiveTheSame) {
  {
    const AtomicBackwardGuard atomic;
    expect_values(slope_of_selected_root([](const Tensor&) {}), {0, 0.25});
  }
  const Tensor x = leaf({0, 4});
  const Tensor y = sqrt(x);
  where(x > 1, y, 0).sum().backward({}, {}, false, TensorList{x, y});
  expect_values(x.grad(), {0, 0.25});
  expect_values(y.grad(), {0, 1});
}

}  // namespace
}  // namespace notape::testing
