// grad(): 2017 paper, 2 "Interface".
#include <gmock/gmock.h>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

TEST(Grad, A15_TheProgramRunsNoDerivativeThatOnlyZNeeds) {
  const Output output = output_of(grad);
  EXPECT_EQ(output.status, 0);
  const std::size_t by_backward = output.text.find("f(x, y, z).backward()");
  ASSERT_NE(by_backward, std::string::npos);
  EXPECT_THAT(output.text.substr(0, by_backward),
              ::testing::Not(::testing::HasSubstr("ExpBackward0")));
  EXPECT_THAT(output.text.substr(by_backward), ::testing::HasSubstr("ExpBackward0"));
}

class GradOfTwo : public ::testing::Test {
 protected:
  Variable leaf(double value) { return tensor({value}, dtype(kFloat64).requires_grad(true)); }
  Variable x = leaf(2), y = leaf(3), z = leaf(5);
};

TEST_F(GradOfTwo, A15_ReturnsOneGradientPerInputAndTouchesNoGrad) {
  x.set_grad(tensor({7.}, kFloat64));
  const variable_list gradients = autograd::grad({x * y * z}, {x, y});
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(gradients[0].item(), 15);
  EXPECT_EQ(gradients[1].item(), 10);
  EXPECT_EQ(x.grad().item(), 7);
  EXPECT_FALSE(y.grad().defined());
  EXPECT_FALSE(z.grad().defined());
}

TEST_F(GradOfTwo, A15_AnUnusedInputIsAnErrorOrUndefined) {
  EXPECT_THROW(autograd::grad({x * y}, {x, z}), UnusedInput);
  const variable_list gradients = autograd::grad({x * y}, {x, z}, {}, {}, false, true);
  EXPECT_EQ(gradients[0].item(), 3);
  EXPECT_FALSE(gradients[1].defined());
}

}  // namespace
}  // namespace notape::paper
