// Gradients by region: views taken before or after the use stand for the same memory.
#include "autograd/functional/region_grad.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::grad_by_region;
using autograd::view_grad;

TEST(RegionGrad, AViewTakenAfterTheUseStandsForItsRegion) {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor y = (x.square() * constant({1, 10, 100, 1000})).sum();
  const variable_list g = grad_by_region({y}, {x.slice(0, 1, 3), x[3], x});
  expect_values(g[0], {40, 600});
  expect_values(g[1], {8000});
  expect_values(g[2], {2, 40, 600, 8000});
}

TEST(RegionGrad, AViewThatWasUsedAndOneThatWasNotAgree) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor y = x * 1;
  const Tensor z = (y[1] * constant({5, 7})).sum();
  const variable_list g = grad_by_region({z}, {y[1], y.t()[0]});
  expect_values(g[0], {5, 7});
  expect_values(g[1], {0, 5});
}

TEST(RegionGrad, ViewGradIsAPartOfTheBasesGrad) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor part = x.slice(0, 1, 3);
  EXPECT_FALSE(view_grad(part).defined());
  (x * x).sum().backward();
  expect_values(view_grad(part), {4, 6});
}

}  // namespace
}  // namespace notape::testing
