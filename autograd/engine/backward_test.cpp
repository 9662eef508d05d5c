// backward(): which leaves get what, and what it refuses before anything happens.
#include "autograd/functional/backward.h"

#include <set>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Backward, A13_ReachesExactlyTheLeavesInvolved) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4}), unused = leaf({5, 6}), c = constant({7, 8});
  ((x * y).tanh() + c).sum().backward();
  EXPECT_TRUE(x.grad().defined());
  EXPECT_TRUE(y.grad().defined());
  EXPECT_FALSE(unused.grad().defined());
  EXPECT_FALSE(c.grad().defined());
}

/// A tensor, and the leaves that its gradient reaches, known without looking at the graph.
struct Known {
  Tensor tensor;
  std::set<std::size_t> leaves;
};

TEST(Backward, A13_OfRandomGraphsExactlyTheLeavesInvolvedGetGradients) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Generator random(seed);
    std::vector<Known> all;
    for (std::size_t i = 0; i < 8; ++i)
      all.push_back({i % 4 == 3 ? constant({1, 2}) : leaf({1, 2}), {i}});
    for (int i = 0; i < 12; ++i) {
      const Known a = all[random.below(all.size())], b = all[random.below(all.size())];
      std::set<std::size_t> both = a.leaves;
      both.insert(b.leaves.begin(), b.leaves.end());
      switch (random.below(4)) {
        case 0:
          all.push_back({a.tensor + b.tensor, both});
          break;
        case 1:
          all.push_back({(a.tensor * b.tensor).tanh(), both});
          break;
        case 2:
          all.push_back({a.tensor.detach() * b.tensor, b.leaves});
          break;
        default:
          const NoGradGuard no_grad;
          all.push_back({a.tensor * b.tensor, {}});
      }
    }
    const Known& root = all.back();
    if (root.tensor.requires_grad()) root.tensor.sum().backward();
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_EQ(all[i].tensor.grad().defined(),
                all[i].tensor.requires_grad() && root.leaves.contains(i))
          << "leaf " << i << ", seed " << seed;
  }
}

TEST(Backward, ImplicitGradientNeedsOneRealElement) {
  const Tensor x = leaf({1, 2});
  const Unchanged before({x});
  expect_error<ImplicitGradient>(
      "grad can be implicitly created only for scalar outputs, got size [2]",
      [&] { (x * 2).backward(); });
  expect_error<ImplicitGradient>("scalar outputs", [&] { x.backward(); });
  before.check();
  (x * 2).sum().view({1, 1}).backward();
  expect_values(x.grad(), {2, 2});
}

// No public call gives a tensor of integers a history, and there are no complex ones yet.
TEST(Backward, ImplicitGradientNeedsARealElementHoweverItCameByAHistory) {
  const Tensor x = leaf({1.0}), count = tensor({3});
  EXPECT_THROW(count.backward(), NothingRequiresGrad);
  count.impl().set_history((x * 2).grad_fn(), 0);
  expect_error<ImplicitGradient>("grad can be computed only for real scalar outputs but got int64",
                                 [&] { count.backward(); });
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, ALeafMayBeTheRoot) {
  const Tensor x = leaf({3});
  x.backward();
  expect_values(x.grad(), {1});
  const Tensor y = leaf({1, 2});
  y.backward(constant({5, 6}));
  y.backward(constant({5, 6}));
  expect_values(y.grad(), {10, 12});
}

TEST(Backward, RootsWithoutGradientAreNamedByIndex) {
  const Tensor x = leaf({1});
  const Tensor volatile_root = make_variable(constant({1}), false, true);
  expect_error<NothingRequiresGrad>(
      "element 0 of tensors does not require grad and does not have a grad_fn",
      [] { constant({1}).backward(); });
  expect_error<NothingRequiresGrad>("element 1 of tensors", [&] {
    autograd::backward({x, constant({1})});
  });
  expect_error<NothingRequiresGrad>("it is volatile", [&] { volatile_root.backward(); });
  expect_error<UndefinedTensor>("element 1 of tensors is undefined", [&] {
    autograd::backward({x, Tensor()});
  });
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, CountsAndShapesOfGradientsAreChecked) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  const Unchanged before({x, y});
  expect_error<GradientCount>("got 2 tensors and 1 gradients", [&] {
    autograd::backward({y, y}, {constant({1, 1})});
  });
  expect_error<GradientCount>("", [] { autograd::backward({}); });
  expect_error<InvalidGradient>(
      "grad_output[0] has a shape of [3] and output[0] has a shape of [2]", [&] {
        y.backward(constant({1, 1, 1}));
      });
  before.check();
  y.backward(ones({2}));  // float32 is converted
  EXPECT_EQ(x.grad().dtype(), kFloat64);
}

TEST(Backward, GradientsOfAnyDtypeAreConverted) {
  const Tensor ofs[] = {tensor({1, 2, 0}), tensor({1, 2, 0}, kInt8), tensor({true, true, false}),
                        tensor({1, 2, 0}, kFloat32), tensor({1, 2, 0}, kHalf)};
  for (const Tensor& given : ofs) {
    SCOPED_TRACE(std::string(name_of(given.dtype())));
    const std::vector<double> wanted = values(given.to(kFloat64));
    const Tensor x = leaf({1, 2, 3});
    const Tensor y = x * 1;
    y.backward(given, /*retain_graph=*/true);
    EXPECT_EQ(x.grad().dtype(), kFloat64);
    expect_values(x.grad(), wanted);
    expect_values(autograd::grad({y}, {x}, {given})[0], wanted);
    struct Given : autograd::Function<Given> {
      static Tensor forward(autograd::AutogradContext* context, const Tensor& in, Tensor gradient) {
        context->save_for_backward({gradient});
        return in + 0;
      }
      static variable_list backward(autograd::AutogradContext* context, variable_list) {
        return {context->get_saved_variables()[0], Tensor()};
      }
    };
    const Tensor z = leaf({1, 2, 3});
    Given::apply(z, given).sum().backward();
    expect_values(z.grad(), wanted);
    expect_error<HookError>("has changed the type of value", [&] {  // as in LibTorch
      const Tensor hooked = z * 1;
      hooked.register_hook([&](const Tensor&) { return given; });
      hooked.sum().backward();
    });
  }
}

TEST(Backward, TheSameRootTwiceCountsTwice) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  autograd::backward({y, y});
  expect_values(x.grad(), {4, 8});
  const Tensor z = leaf({1});
  autograd::backward({z, z, z});
  expect_values(z.grad(), {3});
}

TEST(Backward, ARootMayBeComputedFromAnotherRoot) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * x, z = y * y;
  int calls = 0;
  y.register_hook([&](const Tensor& g) {
    ++calls;
    EXPECT_THAT(values(g), ElementsAre(3, 9));
  });
  autograd::backward({y, z}, {constant({1, 1}), constant({1, 1})});
  EXPECT_EQ(calls, 1) << "y waits for z's contribution";
  expect_values(x.grad(), {6, 36});
}

TEST(Backward, ALeafMayBeARootBesideItsUses) {
  const Tensor x = leaf({2});
  autograd::backward({x, (x * x).sum()});
  expect_values(x.grad(), {5});
}

TEST(Backward, SomeGradientsGivenOthersImplicit) {
  const Tensor x = leaf({1, 2});
  autograd::backward({x * 2, x.sum()}, {constant({1, 10}), Tensor()});
  expect_values(x.grad(), {3, 21});
}

TEST(Backward, RetainGraphDefaultsToCreateGraph) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  y.backward({}, {}, true);
  y.backward({}, {}, true);
  y.backward({}, false, true);
  EXPECT_THROW(y.backward(), GraphFreed);
  x.mutable_grad() = Tensor();
}

TEST(Backward, InputsAccumulateThereOnly) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4}), unused = leaf({1, 1});
  const Tensor h = x * y;
  const Tensor z = (h * h).sum();
  int y_hooks = 0;
  y.register_hook([&](const Tensor&) { ++y_hooks; });
  z.backward({}, true, false, TensorList{x, unused});
  EXPECT_TRUE(x.grad().defined());
  EXPECT_FALSE(y.grad().defined());
  EXPECT_FALSE(unused.grad().defined());
  EXPECT_EQ(y_hooks, 0) << "hooks of leaves outside inputs stay silent";
  z.backward({}, true, false, TensorList{h});
  expect_values(h.grad(), {6, 16});
  EXPECT_FALSE(y.grad().defined());
  z.backward({}, true, false, TensorList{h, h});
  expect_values(h.grad(), {12, 32});
  z.backward({}, true, false, TensorList{x, x});
  expect_values(x.grad(), {36, 128});
  h.retain_grad();
  z.backward({}, true, false, TensorList{h});
  expect_values(h.grad(), {18, 48});
}

TEST(Backward, InputsAreChecked) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.sum();
  expect_error<EmptyInputs>("'inputs' argument to backward cannot be empty",
                            [&] { y.backward({}, {}, false, TensorList{}); });
  expect_error<InputNotDifferentiable>("element 1 of the input tensors does not require grad", [&] {
    y.backward({}, {}, false, TensorList{x, constant({1})});
  });
  expect_error<UndefinedTensor>("element 0 of the input tensors",
                                [&] { y.backward({}, {}, false, TensorList{Tensor()}); });
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, UndefinedGradientsNeverBecomeZeros) {
  const Tensor x = leaf({1, 2}), y = leaf({1, 2});
  Tensor z = x * 1;
  z.copy_(y);
  z.sum().backward();
  EXPECT_FALSE(x.grad().defined());
  expect_values(y.grad(), {1, 1});
}

TEST(Backward, B08_TheGraphIsRebuiltEachIteration) {
  const Tensor x = leaf({0.5});
  const Counters before = counters();
  for (int i = 0; i < 100; ++i) {
    Tensor y = x;
    for (int d = 0; d < (i * 7919) % 13 + 1; ++d) y = (y * x).tanh();
    y.sum().backward();
  }
  EXPECT_EQ(counters().live_nodes, before.live_nodes + 1) << "x's accumulator";
}

TEST(Backward, NothingLeaks) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor h = x * y;
  h.retain_grad();
  h.register_hook([](const Tensor& g) { return g * 2; });
  as_strided(h, {1}, {1}).mul_(3);
  const Tensor z = (h.tanh() * h).sum();
  z.backward({}, true, true);
  z.backward();
}

}  // namespace
}  // namespace notape::testing
