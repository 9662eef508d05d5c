// grad(): gradients as values; `.grad` stays alone, and only what leads to the inputs runs.
#include "autograd/function.h"
#include "autograd/functional/backward.h"
#include "autograd/graph/hooks.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::grad;

TEST(Grad, A15_TouchesNoGrad) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4}), z = leaf({5, 6});
  const variable_list g = grad({(x * y * z).sum()}, {x, y});
  ASSERT_EQ(g.size(), 2u);
  expect_values(g[0], {15, 24});
  expect_values(g[1], {5, 12});
  for (const Tensor& t : {x, y, z}) EXPECT_FALSE(t.grad().defined());
}

/// The identity, telling that its backward ran.
struct Watched : autograd::Function<Watched> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list gradients) {
    ++runs;
    return gradients;
  }
  static inline int runs = 0;
};

TEST(Grad, RunsOnlyNodesThatLeadToTheInputs) {
  Watched::runs = 0;
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor side = Watched::apply(y);
  int hooks = 0;
  side.register_hook([&](const Tensor&) { ++hooks; });
  y.register_hook([&](const Tensor&) { ++hooks; });
  const Tensor z = (x * side).sum();
  expect_values(grad({z}, {x}, {}, true)[0], {3, 4});
  EXPECT_EQ(Watched::runs, 0);
  EXPECT_EQ(hooks, 0);
  grad({z}, {y});
  EXPECT_EQ(Watched::runs, 1);
  EXPECT_EQ(hooks, 2);
}

TEST(Grad, DoesNotWalkTheHistoryBehindItsInputs) {
  const Tensor x = leaf({1, 2});
  const Tensor old = x * x;
  const Tensor input = old * 3, beside = old * 5;
  const Tensor result = input * input * beside;
  std::vector<bool> claimed;
  result.register_hook([&](const Tensor&) {
    claimed = {old.grad_fn()->is_claimed(), beside.grad_fn()->is_claimed(),
               input.grad_fn()->is_claimed()};
  });
  expect_values(grad({result.sum()}, {input}, {}, true)[0], {30, 480});
  EXPECT_EQ(claimed, (std::vector<bool>{false, true, true}));
  // Both are wanted: what is older, and what is reached through it.
  const variable_list both = grad({result.sum()}, {input, x}, {}, true);
  expect_values(both[0], {30, 480});
  expect_values(both[1], {270, 8640});
  EXPECT_EQ(claimed, (std::vector<bool>{true, true, true}));
}

TEST(Grad, ReleasesOnlyWhatRan) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor square = y * y, other_root = (y * y).sum();
  const Tensor z = (x * square).sum();
  grad({z, other_root}, {x});
  square.sum().backward();
  expect_values(y.grad(), {6, 8});
  other_root.backward();
  expect_values(y.grad(), {12, 16});
  EXPECT_THROW(z.backward(), GraphFreed);
}

TEST(Grad, ARootThatLeadsNowhereDoesNotDisturb) {
  Watched::runs = 0;
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor shared = Watched::apply(y);
  const Tensor a = (x * shared).sum(), b = shared.tanh().sum();
  expect_values(grad({b, a}, {x}, {}, true)[0], {3, 4});
  EXPECT_EQ(Watched::runs, 0);
  expect_values(grad({a, b}, {x}, {}, true)[0], {3, 4});
  EXPECT_EQ(Watched::runs, 0);
}

TEST(Grad, InteriorInputs) {
  const Tensor x = leaf({1, 2});
  const Tensor h = x * 3, k = h * h;
  const variable_list g = grad({k.sum()}, {h, x, k}, {}, true);
  expect_values(g[0], {6, 12});
  expect_values(g[1], {18, 36});
  expect_values(g[2], {1, 1});
  EXPECT_FALSE(h.grad().defined());
}

TEST(Grad, AnOutputMayBeAnInput) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  expect_values(grad({y}, {y}, {constant({5, 6})})[0], {5, 6});
  expect_values(grad({x}, {x}, {constant({5, 6})})[0], {5, 6});
}

TEST(Grad, AnInputRewrittenSinceItsUseIsAnotherEdge) {
  const Tensor x = leaf({1, 2});
  Tensor h = x * 1;
  const Tensor early = (h * 2).sum();
  h.add_(1);
  const Tensor late = (h * 5).sum();
  expect_error<UnusedInput>("", [&] { grad({early}, {h}, {}, true); });
  expect_values(grad({late}, {h}, {}, true)[0], {5, 5});
  expect_values(grad({early + late}, {x})[0], {7, 7});
}

TEST(Grad, UnusedInputsAreErrorsUnlessAllowed) {
  const Tensor x = leaf({1, 2}), unused = leaf({1});
  const Tensor y = (x * x).sum();
  const char* message =
      "element 1 of the input tensors appears to not have been used in the graph. Set "
      "allow_unused=True";
  int hooks = 0;
  x.register_hook([&](const Tensor&) { ++hooks; });
  expect_error<UnusedInput>(message, [&] { grad({y}, {x, unused}); });
  EXPECT_EQ(hooks, 0) << "found before anything ran";
  const variable_list g = grad({y}, {x, unused}, {}, {}, false, true);
  expect_values(g[0], {2, 4});
  EXPECT_FALSE(g[1].defined());
}

TEST(Grad, InputsReachedByUndefinedGradientsOnlyCountAsUnused) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  y.fill_(3);
  expect_error<UnusedInput>("element 0", [&] { grad({y.sum()}, {x}); });
  EXPECT_FALSE(grad({y.sum()}, {x}, {}, {}, false, true)[0].defined());
}

TEST(Grad, ChecksItsArguments) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.sum();
  expect_error<EmptyInputs>("grad requires non-empty inputs.", [&] { grad({y}, {}); });
  expect_error<InputNotDifferentiable>("element 0 of the input tensors does not require grad",
                                       [&] { grad({y}, {constant({1})}); });
  expect_error<GradientCount>("got 1 tensors and 2 gradients", [&] {
    grad({y}, {x}, {constant(1), constant(1)});
  });
  expect_error<NothingRequiresGrad>("element 0 of tensors", [&] { grad({constant(1)}, {x}); });
}

TEST(Grad, ReturnsWhatHasPassedTheHooksOfTheInput) {
  const Tensor x = leaf({1, 2});
  const Tensor h = x * 3;
  h.register_hook([](const Tensor& g) { return g * 10; });
  x.register_hook([](const Tensor& g) { return g + 1; });
  expect_values(grad({h.sum()}, {h}, {}, true)[0], {10, 10});
  expect_values(grad({h.sum()}, {x}, {}, true)[0], {31, 31});
}

TEST(Grad, RunsTensorHooksOfACapturedInputButNotItsNodesHooks) {
  const Tensor x = leaf({1, 2});
  const Tensor h = x * 3;
  int node_hooks = 0;
  h.grad_fn()->make_hooks().pre_hooks.push_back([&](const variable_list& g) {
    ++node_hooks;
    return g;
  });
  grad({h.sum()}, {h}, {}, true);
  EXPECT_EQ(node_hooks, 0);
  grad({h.sum()}, {x});
  EXPECT_EQ(node_hooks, 1);
}

/// Two outputs of one node.
struct SumAndDifference : autograd::Function<SumAndDifference> {
  static variable_list forward(AutogradContext*, const Tensor& a, const Tensor& b) {
    return {a + b, a - b};
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    return {g[0] + g[1], g[0] - g[1]};
  }
};

TEST(Grad, SeveralOutputsOfOneNodeMayBeAskedForTogether) {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  const variable_list both = SumAndDifference::apply(a, b);
  const Tensor z = (both[0] * 2 + both[1] * 5).sum();
  const variable_list g = grad({z}, {both[0], both[1], a, b});
  expect_values(g[0], {2, 2});
  expect_values(g[1], {5, 5});
  expect_values(g[2], {7, 7});
  expect_values(g[3], {-3, -3});
}

TEST(Grad, TheSameInputTwiceGivesTheSameGradientTwice) {
  const Tensor x = leaf({1, 2});
  const variable_list g = grad({(x * x).sum()}, {x, x});
  expect_values(g[0], {2, 4});
  expect_values(g[1], {2, 4});
}

TEST(Grad, A27_DerivativesOfEveryOrder) {
  const Tensor x = leaf({2, 3});
  Tensor g = (x * x * x * x).sum();
  const std::vector<std::vector<double>> expected = {{32, 108}, {48, 108}, {48, 72}, {24, 24}};
  for (const auto& derivative : expected) {
    g = grad({g.sum()}, {x}, {}, {}, true)[0];
    expect_values(g, derivative, 1e-12);
  }
  EXPECT_FALSE(g.requires_grad()) << "a constant";
}

TEST(Grad, DoubleBackwardThroughSeedsThatRequireGrad) {
  const Tensor x = leaf({1, 2}), seed = leaf({3, 4});
  const Tensor g = grad({x * x}, {x}, {seed}, {}, true)[0];
  expect_values(g, {6, 16});
  const variable_list second = grad({g.sum()}, {x, seed});
  expect_values(second[0], {6, 8});
  expect_values(second[1], {2, 4});
}

TEST(Grad, HessianVectorProductsAreSymmetric) {
  const Tensor x = leaf({0.3, -0.7, 1.1});
  const Tensor y = (x.tanh() * as_strided(x, {3}, {0}, 1)).sum();
  const Tensor g = grad({y}, {x}, {}, {}, true)[0];
  std::vector<std::vector<double>> hessian;
  for (int64_t i = 0; i < 3; ++i)
    hessian.push_back(values(grad({as_strided(g, {}, {}, i)}, {x}, {}, true)[0]));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(hessian[i][j], hessian[j][i], 1e-12);
}

TEST(Grad, RestoresTheGradMode) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  {
    const NoGradGuard no_grad;
    EXPECT_TRUE(grad({y}, {x}, {}, true, true)[0].requires_grad()) << "create_graph decides";
    EXPECT_FALSE(GradMode::is_enabled());
  }
  EXPECT_FALSE(grad({y}, {x})[0].requires_grad());
  EXPECT_TRUE(GradMode::is_enabled());
}

}  // namespace
}  // namespace notape::testing
