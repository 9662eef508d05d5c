// Figure 1 of the 2017 paper, apart from the program that prints it.
#include <gmock/gmock.h>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

TEST(Fig1, A11_ShowsTheErrorOfTheLiteralPortAndTheGradientsOfTheCorrectedOne) {
  const Output output = output_of(fig1);
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text,
              ::testing::HasSubstr("does not require grad and does not have a grad_fn"));
  EXPECT_THAT(output.text, ::testing::HasSubstr("seen: NothingRequiresGrad as printed"));
  EXPECT_THAT(output.text, ::testing::HasSubstr("x.grad undefined, prev_h.grad undefined\n"));
}

TEST(Fig1, A11_LiteralPortRaisesNothingRequiresGrad) {
  Variable x = randn({1, 10}), W_x = randn({20, 10});
  Variable y = matmul(W_x, x.t()).tanh().sum();
  EXPECT_THROW(y.backward(), NothingRequiresGrad);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_FALSE(y.grad_fn());
}

// Expected values: PyTorch 1.13.
TEST(Fig1, A11_GradientsAreThoseOfPyTorch) {
  const TensorOptions data = kFloat64, parameter = data.requires_grad(true);
  Variable x = tensor({{-1., 1.}}, data), prev_h = tensor({{0.5, 1., 1.5}}, data);
  Variable W_h = tensor({{-1., -0.75, -0.5}, {-0.25, 0., 0.25}, {0.5, 0.75, 1.}}, parameter);
  Variable W_x = tensor({{1., 0.6}, {0.2, -0.2}, {-0.6, -1.}}, parameter);
  (matmul(W_x, x.t()) + matmul(W_h, prev_h.t())).tanh().sum().backward();

  const Tensor dW_x = tensor({{-0.032383774341317929, 0.032383774341317929},
                              {-0.97783324676298355, 0.97783324676298355},
                              {-0.058223038723196938, 0.058223038723196938}},
                             data);
  const Tensor dW_h = tensor({{0.016191887170658965, 0.032383774341317929, 0.048575661511976898},
                              {0.48891662338149178, 0.97783324676298355, 1.4667498701444752},
                              {0.029111519361598469, 0.058223038723196938, 0.0873345580847954}},
                             data);
  EXPECT_TRUE(allclose(W_x.grad(), dW_x, 1e-12, 0)) << W_x.grad();
  EXPECT_TRUE(allclose(W_h.grad(), dW_h, 1e-12, 0)) << W_h.grad();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(prev_h.grad().defined());
}

}  // namespace
}  // namespace notape::paper
