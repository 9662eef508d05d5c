// Hooks: 2017 paper, 2 "Hooks".
#include <gmock/gmock.h>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

TEST(Hooks, A21_TheProgramReversesAndClipsAGradient) {
  const Output output = output_of(hooks);
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text, ::testing::HasSubstr("the hook sees [3, 5, 7]"));
  EXPECT_THAT(output.text, ::testing::HasSubstr("w.grad [0, 1.5]\n"));
}

class HookOnALeaf : public ::testing::Test {
 protected:
  Variable x = tensor({1., 2.}, dtype(kFloat64).requires_grad(true));
};

TEST_F(HookOnALeaf, A19_IsCalledOncePerBackwardWithTheSummedGradientUntilRemoved) {
  std::vector<double> seen;
  const uint32_t hook = x.register_hook([&](const Tensor& g) { seen.push_back(g[1].item()); });
  for (int run = 0; run < 2; ++run) (x * x + x).sum().backward();
  x.remove_hook(hook);
  x.sum().backward();
  EXPECT_THAT(seen, ::testing::ElementsAre(5, 5));
}

TEST_F(HookOnALeaf, A20_ReplacementsAreChainedInTheOrderOfRegistration) {
  x.register_hook([](const Tensor& g) { return g + 1; });
  x.register_hook([](const Tensor&) {});
  x.register_hook([](const Tensor& g) { return g * 10; });
  x.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({20., 20.}, kFloat64))) << x.grad();
}

TEST_F(HookOnALeaf, A20_AReplacementOfAnotherSizeIsAnError) {
  x.register_hook([](const Tensor& g) { return g.sum(); });
  EXPECT_THROW(x.sum().backward(), HookError);
  EXPECT_FALSE(x.grad().defined());
}

}  // namespace
}  // namespace notape::paper
