#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape {
namespace {

TEST(Bincount, CountsOrAddsUpWeights) {
  const Tensor x = tensor({3, 1, 1, 0}, dtype(kInt64));
  EXPECT_TRUE(bincount(x).equal(tensor({1, 2, 0, 1}, dtype(kInt64))));
  EXPECT_TRUE(x.to(kUInt8).bincount({}, 6).equal(tensor({1, 2, 0, 1, 0, 0}, dtype(kInt64))));
  const Tensor weights = tensor({0.5, 2., 3., 7.}, dtype(kFloat64).requires_grad(true));
  const Tensor sums = bincount(x, weights);
  EXPECT_TRUE(sums.equal(tensor({7., 5., 0., 0.5}, kFloat64)));
  sums[1].backward();
  EXPECT_TRUE(weights.grad().equal(tensor({0., 1., 1., 0.}, kFloat64)));
  EXPECT_EQ(bincount(x, ones({4}, kFloat32)).dtype(), kFloat32);
  EXPECT_EQ(bincount(x, ones({4}, kInt64)).dtype(), kFloat64);
  EXPECT_EQ(bincount(ones({0}, kInt64)).numel(), 0);
}

TEST(Bincount, RefusesWhatIsNoNumberOfABin) {
  EXPECT_THROW(bincount(tensor({-1}, dtype(kInt64))), ValueError);
  EXPECT_THROW(bincount(ones({2, 2}, kInt64)), ValueError);
  EXPECT_THROW(bincount(ones({2}, kFloat32)), ValueError);
  EXPECT_THROW(bincount(ones({2}, kInt64), ones({3})), ShapeError);
  EXPECT_THROW(bincount(ones({2}, kInt64), {}, -1), ValueError);
  EXPECT_THROW(bincount(full({1}, std::numeric_limits<int64_t>::max(), kInt64)), Error);
}

}  // namespace
}  // namespace notape
