#include "autograd/graph/saved_values.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::saved_variables;

TEST(SavedValues, CanBeLookedAtWithTheirSlots) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor product = x * y, result = product.exp();
  const auto of_product = saved_variables(product.grad_fn());
  ASSERT_EQ(of_product.size(), 2u);
  EXPECT_EQ(of_product[0].slot, "self");
  expect_values(of_product[0].value, {1, 2});
  EXPECT_EQ(of_product[1].slot, "other");
  expect_values(of_product[1].value, {3, 4});
  EXPECT_FALSE(of_product[0].value.requires_grad());
  const auto of_exp = saved_variables(result.grad_fn());
  ASSERT_EQ(of_exp.size(), 1u);
  EXPECT_EQ(of_exp[0].slot, "result");
  EXPECT_EQ(values(of_exp[0].value), values(result));
  EXPECT_TRUE(saved_variables((x + y).grad_fn()).empty());
}

TEST(SavedValues, AreCheckedAsInBackward) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  Tensor y = x.tanh();
  const NodeRef node = y.grad_fn();
  y.zero_();
  expect_error<SavedTensorModified>("TanhBackward0", [&] { saved_variables(node); });
  const Tensor z = x.square();
  z.sum().backward();
  expect_error<GraphFreed>("SquareBackward0", [&] { saved_variables(z.grad_fn()); });
  EXPECT_THROW(saved_variables(x.grad_fn()), UndefinedTensor);
}

}  // namespace
}  // namespace notape::testing
