#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Cat, SendsEachInputItsPartOfTheGradient) {
  const Tensor a = leaf({{1, 2}}), b = leaf({{3, 4}, {5, 6}});
  const Tensor y = cat({a, b, a}, 0);
  expect_values(y, {1, 2, 3, 4, 5, 6, 1, 2});
  y.backward(constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  expect_values(a.grad(), {8, 10});
  expect_values(b.grad(), {3, 4, 5, 6});
}

TEST(Cat, SkipsOneDimensionalEmptyTensors) {
  const Tensor a = leaf({{1, 2}}), none = zeros({0}, dtype(kFloat64).requires_grad(true));
  const Tensor y = cat({none, a, none}, -1);
  EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{1, 2}));
  y.sum().backward();
  EXPECT_EQ(none.grad().sizes().vec(), std::vector<int64_t>{0});
  EXPECT_EQ(cat({none, none}).sizes().vec(), std::vector<int64_t>{0});
}

TEST(Cat, PromotesAndReturnsGradientsInEachDtype) {
  const Tensor a = ones({2}, dtype(kFloat32).requires_grad(true));
  const Tensor b = ones({1}, dtype(kFloat64).requires_grad(true));
  const Tensor y = cat({a, b, arange(2)});
  EXPECT_EQ(y.dtype(), kFloat64);
  (y * y).sum().backward();
  EXPECT_EQ(a.grad().dtype(), kFloat32);
  EXPECT_EQ(b.grad().dtype(), kFloat64);
  EXPECT_EQ(cat({arange(2), ones({1}, kBool)}).dtype(), kInt64);
}

TEST(Cat, NeedsNoGradientWhereNoneIsWanted) {
  const Tensor a = leaf({1}), b = constant({2});
  const Tensor y = cat({a, b});
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(y.grad_fn()->next_edge(1));
  EXPECT_FALSE(cat({b, b}).requires_grad());
  const NoGradGuard no_grad;
  EXPECT_FALSE(cat({a, b}).requires_grad());
}

TEST(Cat, OfAVolatileTensorIsVolatile) {
  const Tensor a = leaf({1});
  const Tensor b = make_variable(constant({2}), false, true);
  const Tensor y = cat({a, b});
  EXPECT_TRUE(y.is_volatile());
  EXPECT_FALSE(y.requires_grad());
}

TEST(Cat, JoinsTangentsWithZerosWhereThereAreNone) {
  const autograd::forward_ad::DualLevelGuard level;
  const Tensor a = autograd::forward_ad::make_dual(constant({1, 2}), constant({5, 6}));
  const Tensor y = cat({constant({3}), a, constant({4})});
  expect_values(autograd::forward_ad::unpack_dual(y).tangent, {0, 5, 6, 0});
}

TEST(Cat, HasSecondDerivatives) {
  const Tensor a = leaf({1, 2}), b = leaf({3});
  const Tensor y = cat({a, b});
  const auto first = autograd::grad({(y * y * y).sum()}, {a, b}, {}, {}, true);
  const auto second = autograd::grad({first[0].sum() + first[1].sum()}, {a, b});
  expect_values(second[0], {6, 12});
  expect_values(second[1], {18});
}

TEST(Cat, CopiesItsInputs) {
  Tensor a = constant({1, 2});
  const Tensor y = cat({a});
  a.zero_();
  expect_values(y, {1, 2});
}

TEST(Cat, TakesMoreTensorsThanANodeHasEdges) {
  const Tensor x = leaf(3);
  const TensorList many(70000, x);
  const Tensor y = stack(many);
  EXPECT_EQ(y.numel(), 70000);
  y.sum().backward();
  expect_values(x.grad(), {70000});
}

TEST(Cat, LeavesNothingBehind) {
  const NothingLeaks guard;
  const Tensor a = leaf({1, 2});
  const Tensor y = stack({a, a * 2}, 1);
  y.sum().backward();
}

TEST(Cat, RefusesListsThatDoNotFit) {
  const Tensor a = zeros({2, 3}), b = zeros({2, 4}), c = zeros({3}), scalar = zeros({});
  expect_error<ShapeError>("expected a non-empty list of Tensors", [&] { cat({}); });
  expect_error<ShapeError>("zero-dimensional tensor (at position 1) cannot be concatenated", [&] {
    cat({a, scalar});
  });
  expect_error<ShapeError>("Tensors must have same number of dimensions: got 2 and 1", [&] {
    cat({a, c});
  });
  expect_error<ShapeError>(
      "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for "
      "tensor number 1 in the list.",
      [&] {
        cat({a, b});
      });
  expect_error<UndefinedTensor>("tensor 1 of the list is undefined", [&] { cat({a, Tensor()}); });
  expect_error<ShapeError>("stack expects a non-empty TensorList", [&] { stack({}); });
  expect_error<ShapeError>(
      "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [2, 4] at entry 1",
      [&] {
        stack({a, b});
      });
}

}  // namespace
}  // namespace notape::testing
