#include "ops/linalg/product.h"
#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

TEST(Mm, HasLibTorchsValuesAndDerivatives) {
  const Tensor a = pattern_leaf({2, 3}, 5), b = pattern_leaf({3, 2}, 7);
  const Tensor incoming = pattern_leaf({2, 2}, 3);
  const Tensor product = mm(a, b);
  expect_values(product, {-0.3125, 0.0625, 0.4375, -1.4375});
  const auto first = autograd::grad({product}, {a, b}, {incoming}, {}, true);
  const Tensor sum = (first[0] * pattern({2, 3}, 4)).sum() + (first[1] * pattern({3, 2}, 9)).sum();
  const auto second = autograd::grad({sum}, {a, b, incoming});
  expect_values(second[0], {-0.5625, 0.9375, 0, 0.1875, 0.5625, -1.5});
  expect_values(second[1], {-0.1875, -1.125, -0.1875, 0.375, -0.1875, 1.875});
  expect_values(second[2], {-0.1875, 1.0625, -0.8125, 1.6875});
}

TEST(Mm, TakesTransposedSteppedAndExpandedOperands) {
  const Tensor a = pattern({2, 3}, 5), b = pattern({3, 2}, 7);
  const std::vector<double> expected = values(mm(a, b));
  expect_values(mm(laid_out(a, {1, 0}), laid_out(b, {1, 0})), expected);
  expect_values(mm(laid_out(a, {0, 1}, 1), laid_out(b, {1, 0}, 2)), expected);
  const Tensor row = constant({{1, 2, 3}});
  expect_values(mm(row.expand({2, 3}), b), values(mm(constant({{1, 2, 3}, {1, 2, 3}}), b)));
}

TEST(Mm, GivesGradientsOfTransposedOperandsInTheirOwnShape) {
  const Tensor a = pattern_leaf({3, 2}, 5), b = pattern_leaf({2, 3}, 7);
  mm(a.t(), b.t()).backward(pattern({2, 2}, 3));
  const Tensor c = a.detach().t().contiguous().requires_grad_();
  const Tensor d = b.detach().t().contiguous().requires_grad_();
  mm(c, d).backward(pattern({2, 2}, 3));
  expect_values(a.grad(), values(c.grad().t()));
  expect_values(b.grad(), values(d.grad().t()));
}

TEST(Mm, WithTransposedFactorsIsMmOfTransposesToEveryOrder) {
  const auto derivatives = [](const auto& multiply, Transposed t) {
    const Tensor a = t.first ? pattern_leaf({4, 2}, 5) : pattern_leaf({2, 4}, 5);
    const Tensor b = t.second ? pattern_leaf({3, 4}, 7) : pattern_leaf({4, 3}, 7);
    const Tensor incoming = pattern_leaf({2, 3}, 3);
    const Tensor product = multiply(a, b, t);
    const auto first = autograd::grad({product}, {a, b}, {incoming}, {}, true);
    const Tensor sum =
        (first[0] * pattern(a.sizes(), 4)).sum() + (first[1] * pattern(b.sizes(), 9)).sum();
    const auto second = autograd::grad({sum}, {a, b, incoming});
    std::vector<std::vector<double>> all = {values(product)};
    for (const Tensor& each : {first[0], first[1], second[0], second[1], second[2]})
      all.push_back(values(each));
    return all;
  };
  for (const Transposed t : {Transposed{false, true}, {true, false}, {true, true}})
    EXPECT_EQ(
        derivatives([](const Tensor& a, const Tensor& b, Transposed u) { return mm(a, b, u); }, t),
        derivatives([](const Tensor& a, const Tensor& b,
                       Transposed u) { return mm(u.first ? a.t() : a, u.second ? b.t() : b); },
                    t))
        << t.first << t.second;
}

TEST(Mm, WithoutInnerDimensionIsZeroAndSoAreItsGradients) {
  const Tensor a = empty({2, 0}, dtype(kFloat64).requires_grad(true));
  const Tensor b = empty({0, 3}, dtype(kFloat64).requires_grad(true));
  const Tensor product = mm(a, b);
  expect_values(product, {0, 0, 0, 0, 0, 0});
  product.sum().backward();
  EXPECT_EQ(a.grad().sizes(), a.sizes());
  EXPECT_EQ(b.grad().sizes(), b.sizes());
  EXPECT_EQ(mm(empty({0, 3}), empty({3, 2})).sizes(), IntArrayRef({0, 2}));
}

TEST(Mm, PropagatesNaNAndInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor product =
      mm(constant({{0, 1}, {1, 0}}), constant({{infinity, 2}, {std::nan(""), 3}}));
  const std::vector<double> result = values(product);
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_EQ(result[1], 3);
  EXPECT_TRUE(std::isnan(result[2]));
  EXPECT_EQ(result[3], 2);
}

TEST(Mm, MultipliesIntegersThatWrapAround) {
  const Tensor bytes = mm(tensor({{200, 100}}, kUInt8), tensor({{2}, {3}}, kUInt8));
  EXPECT_EQ(bytes.dtype(), kUInt8);
  expect_values(bytes, {(400 + 300) % 256});
  const Tensor longs = mm(tensor({{int64_t{1} << 62, 1}}, kInt64), tensor({{4}, {5}}, kInt64));
  EXPECT_EQ(longs.item<int64_t>(), 5);
  expect_values(mm(tensor({{-3, 2}}, kInt32), tensor({{5}, {1}}, kInt32)), {-13});
}

TEST(Mm, RejectsVectorsAndBatchesNamingTheShape) {
  const Tensor matrix = zeros({2, 3});
  expect_error<ShapeError>("mm: self must be a matrix, but has shape [3]",
                           [&] { mm(zeros({3}), matrix); });
  expect_error<ShapeError>("mm: mat2 must be a matrix, but has shape [2, 3, 4, 4]", [&] {
    mm(matrix, zeros({2, 3, 4, 4}));
  });
}

TEST(Mm, RejectsShapesThatDoNotFit) {
  expect_error<ShapeError>("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", [] {
    mm(zeros({2, 3}), zeros({4, 5}));
  });
}

TEST(Mm, RejectsDifferentTypesBoolsAndUndefinedOperands) {
  expect_error<DtypeError>("expected scalar type Float but found Double", [] {
    mm(zeros({2, 3}), zeros({3, 2}, kFloat64));
  });
  expect_error<NoKernel>("mm: not implemented for bool on cpu", [] {
    mm(zeros({2, 3}, kBool), zeros({3, 2}, kBool));
  });
  expect_error<UndefinedTensor>("mm", [] { mm(zeros({2, 3}), Tensor()); });
}

TEST(Mm, GivesTheSameBitsEveryTime) {
  manual_seed(5);
  const Tensor a = randn({150, 130}), b = randn({130, 170});
  const std::vector<double> first = values(mm(a, b));
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(values(mm(a, b)), first);
}

TEST(Mm, NamesItsNode) {
  EXPECT_EQ(mm(pattern_leaf({2, 2}, 1), pattern({2, 2}, 1)).grad_fn()->name(), "MmBackward0");
}

TEST(Mm, SavesOnlyTheFactorWhoseCounterpartNeedsAGradient) {
  const Tensor a = pattern_leaf({2, 3}, 5);
  Tensor b = pattern({3, 2}, 7);
  Tensor product = mm(a, b);
  b.fill_(0);
  EXPECT_THROW(product.sum().backward(), SavedTensorModified);
  Tensor c = pattern({2, 3}, 5);
  const Tensor d = pattern_leaf({3, 2}, 7);
  product = mm(c.clone(), d);
  c.fill_(0);
  EXPECT_NO_THROW(product.sum().backward());
}

}  // namespace
}  // namespace notape::testing
