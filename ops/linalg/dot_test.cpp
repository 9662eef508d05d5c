#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

TEST(Dot, HasLibTorchsValueAndGradients) {
  const Tensor a = pattern_leaf({5}, 5), b = pattern_leaf({5}, 7);
  const Tensor product = dot(a, b);
  EXPECT_EQ(product.dim(), 0);
  EXPECT_EQ(product.item(), -0.9375);
  product.backward(scalar_tensor(2, kFloat64));
  expect_values(a.grad(), {0.5, -2.5, 1, -2, 1.5});
  expect_values(b.grad(), {-0.5, 2, -2, 0.5, 3});
}

TEST(Dot, TakesSteppedAndExpandedVectors) {
  const Tensor a = pattern({40}, 5), b = pattern({40}, 7);
  const double expected = dot(a, b).item();
  EXPECT_EQ(dot(laid_out(a, {0}, 2), b).item(), expected);
  EXPECT_EQ(dot(a, laid_out(b, {0}, 1)).item(), expected);
  EXPECT_EQ(dot(a, constant({2}).expand({40})).item(), 2 * a.sum().item());
}

TEST(Dot, OfEmptyVectorsIsZero) { EXPECT_EQ(dot(empty({0}), empty({0})).item(), 0); }

TEST(Dot, MultipliesIntegers) {
  const Tensor product = dot(tensor({1, 2, 3}), tensor({4, 5, 6}));
  EXPECT_EQ(product.dtype(), kInt64);
  EXPECT_EQ(product.item<int64_t>(), 32);
}

TEST(Dot, RefusesMatricesLengthsAndTypesThatDiffer) {
  expect_error<ShapeError>("1D tensors expected, but got 1D and 2D tensors", [] {
    dot(zeros({3}), zeros({3, 1}));
  });
  expect_error<ShapeError>("inconsistent tensor size, expected tensor [3] and src [4]",
                           [] { dot(zeros({3}), zeros({4})); });
  expect_error<DtypeError>("expected both vectors to have same dtype, but found Float and Double",
                           [] { dot(zeros({3}), zeros({3}, kFloat64)); });
}

}  // namespace
}  // namespace notape::testing
