// 2017 paper, 3.1 Aliasing, and its future work.
#include <gmock/gmock.h>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

using ::testing::HasSubstr;

class Aliasing : public ::testing::Test {
 protected:
  Variable leaf = tensor({1., 2., 3.}, dtype(kFloat64).requires_grad(true));
  Variable x = leaf * 1;
};

TEST_F(Aliasing, A38_TheProgramRejectsAtTheWriteAndSaysHowManyShare) {
  const Output output = output_of(aliasing);
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("there are 2 objects sharing it"));
  EXPECT_THAT(output.text, HasSubstr("leaf.grad [5, 7, 0] by default\n"));
}

TEST_F(Aliasing, A38_Paper2017CountsTheSharersAndChangesNothing) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  std::vector<Variable> aliases;
  for (int sharers = 2; sharers <= 5; ++sharers) {
    aliases.push_back(x.slice(0, 0, 2));
    try {
      x.add_(3);
      FAIL() << "accepted with " << sharers << " sharers";
    } catch (const AliasedInPlace& error) {
      EXPECT_THAT(error.what(), HasSubstr("there are " + std::to_string(sharers) + " objects"));
    }
    EXPECT_TRUE(x.equal(leaf));
    EXPECT_EQ(x._version(), 0u);
  }
  aliases.clear();
  EXPECT_NO_THROW(x.add_(3));
}

TEST_F(Aliasing, A38_Paper2017RejectsAWriteThroughTheAliasToo) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  for (Variable alias : {x.slice(0, 0, 2), x.narrow(0, 1, 2), x.view({3, 1}).t(), x[1]}) {
    EXPECT_THROW(alias.add_(3), AliasedInPlace);
    EXPECT_EQ(x._version(), 0u);
  }
}

TEST_F(Aliasing, A39_DefaultAcceptsAndTheGradientIsExact) {
  Variable y = x.slice(0, 0, 2);
  x.add_(3).mul_(leaf);  // (leaf + 3) leaf
  EXPECT_TRUE(y.equal(tensor({4., 10.}, kFloat64)));
  y.backward(ones({2}, kFloat64));
  EXPECT_TRUE(leaf.grad().equal(tensor({5., 7., 0.}, kFloat64))) << leaf.grad();
}

TEST_F(Aliasing, A39_TheWriteMakesNoNodePerAliasAndTheFirstUseOne) {
  for (const int aliases : {1, 10, 1000}) {
    std::vector<Variable> views;
    for (int i = 0; i < aliases; ++i) views.push_back(x.slice(0, 0, 2));
    const int64_t before = counters().nodes_created;
    x.mul_(2);
    const int64_t by_the_write = counters().nodes_created - before;
    EXPECT_LE(by_the_write, 2) << aliases << " aliases";
    const int64_t view_nodes = counters().view_nodes;
    for (const Variable& view : views) EXPECT_TRUE(view.grad_fn());
    for (const Variable& view : views) EXPECT_TRUE(view.grad_fn());
    EXPECT_EQ(counters().view_nodes - view_nodes, aliases);
  }
}

}  // namespace
}  // namespace notape::paper
