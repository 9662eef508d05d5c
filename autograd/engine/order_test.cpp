// The order in which nodes run and gradients are added, which makes results the same to the bit.
#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;

struct Traced : Function<Traced> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const std::string& name) {
    ctx->saved_data["name"] = name;
    return x * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    order.push_back(std::any_cast<std::string>(ctx->saved_data["name"]));
    return {g[0], Tensor()};
  }
  static inline std::vector<std::string> order;
};

TEST(Order, LaterOperationsRunFirst) {
  Traced::order.clear();
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor a = Traced::apply(x, "a"), b = Traced::apply(y, "b"), c = Traced::apply(a, "c");
  const Tensor d = Traced::apply(b, "d");
  (d + c).sum().backward();
  EXPECT_THAT(Traced::order, ElementsAre("d", "c", "b", "a"));
}

TEST(Order, ANodeRunsOnceAfterAllItsContributions) {
  Traced::order.clear();
  const Tensor x = leaf({1, 2});
  const Tensor a = Traced::apply(x, "a"), b = Traced::apply(a, "b"), c = Traced::apply(b, "c");
  (a + c * b).sum().backward();
  EXPECT_THAT(Traced::order, ElementsAre("c", "b", "a"));
}

TEST(Order, LeavesAreServedAsSoonAsTheyAreReady) {
  Traced::order.clear();
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  x.register_hook([](const Tensor&) { Traced::order.push_back("x"); });
  const Tensor a = Traced::apply(y, "a"), b = Traced::apply(x, "b");
  (a + b).sum().backward();
  EXPECT_THAT(Traced::order, ElementsAre("b", "x", "a"));
}

TEST(Order, ContributionsAreAddedInScheduleOrder) {
  // 1e16 + 1 - 1e16 depends on the order of summation; later uses come first.
  const Tensor x = leaf({1.0});
  const Tensor h = x * 1;
  const Tensor a = h * 1.0, b = h * 1e16, c = h * -1e16;
  (a + b + c).backward();
  const double expected = (-1e16 + 1e16) + 1.0;
  expect_values(x.grad(), {expected});
}

TEST(Order, EveryRunGivesTheSameBits) {
  manual_seed(3);
  const Tensor x = randn({50}, kFloat32), w = randn({50}, kFloat32);
  std::vector<double> first;
  for (int run = 0; run < 5; ++run) {
    const Tensor leaf_x = x.clone().requires_grad_();
    Tensor y = leaf_x;
    for (int i = 0; i < 20; ++i) y = (y * w + leaf_x).tanh() + y;
    y.sum().backward();
    if (run == 0)
      first = values(leaf_x.grad());
    else
      EXPECT_EQ(values(leaf_x.grad()), first);
  }
}

TEST(Order, B02_NothingRunsWhereNoGradientIsRequired) {
  Traced::order.clear();
  const Tensor frozen = constant({1, 2}), x = leaf({1, 2});
  const Tensor a = Traced::apply(frozen, "frozen"), b = Traced::apply(x, "trained");
  (a * b).sum().backward();
  EXPECT_THAT(Traced::order, ElementsAre("trained"));
}

TEST(Order, NodesWhoseGradientsAreAllUndefinedComputeNothing) {
  const Tensor x = leaf({1, 2}), w = leaf({1, 2});
  Tensor h = x.tanh();
  Tensor y = h * w;
  y.fill_(1);
  const Tensor z = (y * 2).sum();
  z.backward();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
}

TEST(Order, UserFunctionsRunOnZerosWhereBuiltInNodesDoNot) {
  Traced::order.clear();
  const Tensor x = leaf({1, 2});
  Tensor y = Traced::apply(x, "user") * 1;
  y.fill_(1);
  y.sum().backward();
  EXPECT_THAT(Traced::order, ElementsAre("user"));
  expect_values(x.grad(), {0, 0});
}

}  // namespace
}  // namespace notape::testing
