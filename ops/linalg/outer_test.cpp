#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

TEST(Outer, HasLibTorchsValuesAndGradients) {
  const Tensor a = pattern_leaf({2}, 5), b = pattern_leaf({3}, 7);
  const Tensor product = outer(a, b);
  expect_values(product, {-0.0625, 0.3125, -0.125, 0.25, -1.25, 0.5});
  product.backward(pattern({2, 3}, 3));
  expect_values(a.grad(), {0.1875, 1.5});
  expect_values(b.grad(), {1.6875, -1, -0.4375});
}

TEST(Outer, PromotesAndTakesEmptyVectors) {
  EXPECT_EQ(outer(zeros({2}), zeros({3}, kFloat64)).dtype(), kFloat64);
  EXPECT_EQ(outer(empty({0}), empty({3})).sizes(), IntArrayRef({0, 3}));
}

TEST(Outer, RefusesMatrices) {
  expect_error<ShapeError>("Expected 1-D argument self, but got 2-D", [] {
    outer(zeros({2, 2}), zeros({3}));
  });
  expect_error<ShapeError>("Expected 1-D argument vec2, but got 0-D",
                           [] { outer(zeros({2}), zeros({})); });
}

}  // namespace
}  // namespace notape::testing
