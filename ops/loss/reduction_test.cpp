#include "ops/ops.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

TEST(Reduction, IsMadeOfANumberAndBecomesOne) {
  const Tensor x = arange(4, kFloat64), y = zeros({4}, kFloat64);
  int64_t number = Reduction::Mean;
  EXPECT_EQ(number, 1);
  EXPECT_EQ(mse_loss(x, y, number).item(), 3.5);
  number = Reduction(Reduction::Sum);
  EXPECT_EQ(mse_loss(x, y, number).item(), 14);
  EXPECT_EQ(mse_loss(x, y, 0).numel(), 4);
  expect_error<ValueError>("3 is not a valid value for reduction", [&] { mse_loss(x, y, 3); });
  expect_error<ValueError>("-1 is not a valid value", [&] { l1_loss(x, y, -1); });
}

}  // namespace
}  // namespace notape::testing
