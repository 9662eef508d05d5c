// In-place operations: 2017 paper, 3.1, and the Autograd mechanics note.
#include <gmock/gmock.h>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

const TensorOptions kLeaf = dtype(kFloat64).requires_grad(true);

TEST(Inplace, A33_TheProgramShowsTheRebasedHistory) {
  const Output output = output_of(inplace);
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text,
              ::testing::ContainsRegex("TanhBackward0 -> MulBackward[01] -> AccumulateGrad"));
}

TEST(Inplace, A33_ValueAndGradientAreBitwiseThoseOfTheOutOfPlaceProgram) {
  using Apply = std::function<Tensor(Tensor)>;
  struct Case {
    const char* name;
    Apply out_of_place, in_place;
  };
  const Case cases[] = {
      {"tanh", [](Tensor y) { return y.tanh(); }, [](Tensor y) { return y.tanh_(); }},
      {"exp", [](Tensor y) { return y.exp(); }, [](Tensor y) { return y.exp_(); }},
      {"add", [](Tensor y) { return y.add(3); }, [](Tensor y) { return y.add_(3); }},
      {"mul", [](Tensor y) { return y.mul(3); }, [](Tensor y) { return y.mul_(3); }},
      {"relu", [](Tensor y) { return y.relu(); }, [](Tensor y) { return y.relu_(); }},
      {"log", [](Tensor y) { return y.log(); }, [](Tensor y) { return y.log_(); }},
  };
  for (const Case& tested : cases) {
    const auto run = [&](const Apply& apply) {
      Variable x = tensor({0.25, 0.5, 3.}, kLeaf);
      const Tensor y = apply(x * 2);
      y.sum().backward();
      return std::pair(y, x.grad());
    };
    const auto [expected, expected_gradient] = run(tested.out_of_place);
    const auto [value, gradient] = run(tested.in_place);
    EXPECT_TRUE(value.equal(expected)) << tested.name;
    EXPECT_TRUE(gradient.equal(expected_gradient)) << tested.name;
  }
}

TEST(Inplace, B10_LogOfTheOverwrittenIsRefusedUnderPaper2017BeforeAnythingChanges) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  Variable x = tensor({1., 2.}, kLeaf) * 1;
  EXPECT_THROW(x.log_(), OverwrittenInput);
  EXPECT_TRUE(x.equal(tensor({1., 2.}, kFloat64)));
  EXPECT_EQ(x._version(), 0u);
}

TEST(Inplace, B10_LogOfTheOverwrittenWorksByDefaultThroughOnePrivateCopy) {
  Variable leaf = tensor({1., 2.}, kLeaf);
  Variable x = leaf * 1;
  const int64_t copies = counters().self_copies;
  x.log_();
  EXPECT_EQ(counters().self_copies, copies + 1);
  x.sum().backward();
  EXPECT_TRUE(leaf.grad().equal(tensor({1., 0.5}, kFloat64)));
}

TEST(Inplace, B10_NoCopyIsMadeWhereNothingIsDifferentiated) {
  Variable x = tensor({1., 2.}, kFloat64);
  const int64_t copies = counters().self_copies;
  x.log_();
  EXPECT_EQ(counters().self_copies, copies);
}

}  // namespace
}  // namespace notape::paper
