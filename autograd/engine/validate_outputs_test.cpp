#include "autograd/engine/validate_outputs.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(ValidateOutputs, FitsGradientsToTheirInputsOrSaysWhyNot) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  const autograd::edge_list edges{{y.grad_fn(), 0}, {}, {y.grad_fn(), 0}};
  const auto plain = [](const std::string& message) { return "while testing: " + message; };
  variable_list gradients{ones({3, 2}), Tensor(), Tensor()};
  autograd::validate_outputs(edges, gradients, plain);
  expect_values(gradients[0], {3, 3});
  EXPECT_EQ(gradients[0].dtype(), kFloat64);
  gradients[0] = ones({3});
  expect_error<InvalidGradient>("while testing: ",
                                [&] { autograd::validate_outputs(edges, gradients, plain); });
  variable_list one{ones({2})};
  expect_error<InvalidGradient>("invalid number of gradients - expected 3, but got 1",
                                [&] { autograd::validate_outputs(edges, one, plain); });
}

}  // namespace
}  // namespace notape::testing
