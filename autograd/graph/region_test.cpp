// Region contributions: gradients of slices are added where they belong, at the cost of the slice.
#include "autograd/graph/region.h"

#include "autograd/graph/hooks.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::grad;

TEST(Region, SlicesOfALeafAndOfAnIntermediateAddUp) {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor y = x * 2;
  ((y.slice(0, 0, 2) * 3).sum() + (y.slice(0, 1, 4, 2) * 5).sum() + y.sum() + (x[3] * 7))
      .backward();
  expect_values(x.grad(), {8, 18, 2, 19});
}

TEST(Region, RepeatedCellsAreSummed) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x * 1;
  (as_strided(y, {3, 2}, {0, 1}, 1) * constant({{1, 2}, {10, 20}, {100, 200}})).sum().backward();
  expect_values(x.grad(), {0, 111, 222});
}

TEST(Region, BasesThatAreNotRowMajorGetTheirStrides) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor y = (x * 1).t();
  (y[0].sum() * 3 + (y * constant({{1, 2}, {3, 4}})).sum()).backward();
  expect_values(x.grad(), {4, 3, 5, 4});
}

TEST(Region, HooksCapturesAndRetainedGradientsSeeDenseGradients) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 2;
  y.retain_grad();
  std::vector<double> seen;
  y.register_hook([&](const Tensor& g) { seen = values(g); });
  const Tensor z = y[1] * 5;
  expect_values(grad({z}, {y}, {}, true)[0], {0, 5, 0});
  EXPECT_EQ(seen, (std::vector<double>{0, 5, 0}));
  expect_values(y.grad(), {0, 5, 0});  // as in LibTorch, grad() feeds retained gradients too
  z.backward({}, true);
  expect_values(y.grad(), {0, 10, 0});
  const NodeRef node = y[1].grad_fn();
  node->add_post_hook([&](const variable_list& inputs, const variable_list&) {
    seen = values(inputs[0]);
    return inputs;
  });
  expect_values((*node)({constant({1}).squeeze()})[0], {0, 1, 0});
}

TEST(Region, APostHookSeesAndReplacesADenseResult) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor z = x[1];
  std::vector<double> seen;
  z.grad_fn()->add_post_hook([&](const variable_list& inputs, const variable_list&) {
    seen = values(inputs[0]);
    return variable_list{inputs[0] * 10};
  });
  z.backward();
  EXPECT_EQ(seen, (std::vector<double>{0, 1, 0}));
  expect_values(x.grad(), {0, 10, 0});
}

TEST(Region, ResultsAreBitwiseTheSameEveryTime) {
  const Tensor x = rand({50}, kFloat64).requires_grad_();
  std::vector<double> first;
  for (int round = 0; round < 3; ++round) {
    Tensor sum = (x * x).sum();
    for (int64_t i = 0; i + 7 < 50; i += 3) sum = sum + x.slice(0, i, i + 7).tanh().sum();
    const std::vector<double> now = values(grad({sum}, {x})[0]);
    if (round == 0) first = now;
    EXPECT_EQ(now, first);
  }
}

TEST(Region, CreateGraphTakesTheDifferentiableWay) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = (x * x).slice(0, 1, 3);
  const Tensor g = grad({(y * y).sum()}, {x}, {}, true, true)[0];  // 4 x^3 on the slice
  expect_values(g, {0, 32, 108});
  expect_values(grad({g.sum()}, {x})[0], {0, 48, 108});
}

/// Bytes that one backward allocates besides the leaf's gradient must not grow with the base.
TEST(Region, AWriteIntoALargeBaseCostsNoPassOverIt) {
  const int64_t n = 1 << 20;
  const Tensor x = zeros({n}, dtype(kFloat32).requires_grad(true));
  Tensor y = x * 1;
  for (int64_t i = 0; i < 50; ++i) {
    Tensor cell = y.slice(0, i, i + 1);
    cell.mul_(2);
    cell.add_(y.slice(0, i + 100, i + 101));
  }
  y.sum().backward();
  const std::vector<double> g = values(x.grad().slice(0, 0, 200));
  EXPECT_EQ(g[0], 2);
  EXPECT_EQ(g[60], 1);
  EXPECT_EQ(g[149], 2);
}

}  // namespace
}  // namespace notape::testing
