#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

Tensor largest(const Tensor& x) { return x.max(); }
Tensor smallest(const Tensor& x) { return x.min(); }
Tensor largest_of_rows(const Tensor& x) { return std::get<0>(x.max(1)); }

TEST(Max, SharesTheGradientAmongTies) {
  constexpr double third = 1.0 / 3;
  expect_close(weighted_gradient(largest, constant({2, 2, 1, 2})), {third, third, 0, third});
  expect_close(weighted_gradient(smallest, constant({{-1, 5}, {-1, 7}})), {0.5, 0, 0.5, 0});
}

TEST(Max, OfNanIsNanAndSharesTheGradientAmongNans) {
  const Tensor x = constant({1, kNaN, 3, kNaN});
  expect_close(x.max(), {kNaN});
  expect_close(x.min(), {kNaN});
  expect_close(weighted_gradient(largest, x), {0, 0.5, 0, 0.5});
  expect_close(weighted_gradient(smallest, x), {0, 0.5, 0, 0.5});
}

TEST(Max, FindsItsElementAnywhere) {
  for (int64_t n : {1, 7, 8, 9, 31}) {
    for (int64_t at = 0; at < n; ++at) {
      Tensor x = zeros({n});
      x[at].fill_(5);
      EXPECT_EQ(x.max().item(), 5);
      EXPECT_EQ(x.neg().min().item(), -5);
      EXPECT_EQ(x.argmax(0).item<int64_t>(), at);
      x[at].fill_(kNaN);
      EXPECT_TRUE(std::isnan(x.max().item()));
      EXPECT_EQ(std::get<1>(x.min(0)).item<int64_t>(), at);
    }
  }
}

TEST(Max, PassesNothingToOtherElementsEvenOfAnInfiniteGradient) {
  const Tensor x = leaf({1, 3});
  x.max().backward(constant(kInfinity));
  expect_close(x.grad(), {0, kInfinity});
}

TEST(Max, HasNoCurvature) {
  EXPECT_THAT(hessian([](const Tensor& x) { return x.max() * x.max(); }, constant({1, 3})),
              ElementsAre(0, 0, 0, 2));
}

TEST(Max, AlongADimensionGivesTheFirstOfEqualElements) {
  const Tensor x = constant({{2, 7, 7}, {4, 1, 4}});
  const auto [values, indices] = x.max(1);
  expect_values(values, {7, 4});
  expect_values(indices, {1, 0});
  EXPECT_EQ(indices.dtype(), kInt64);
  expect_values(weighted_gradient(largest_of_rows, x), {0, 1, 0, 2, 0, 0});
}

TEST(Max, AlongADimensionLetsTheFirstNanWin) {
  const Tensor x = constant({{1, kNaN, kNaN}, {3, 2, 1}});
  const auto [values, indices] = x.max(-1, true);
  expect_close(values, {kNaN, 3});
  expect_values(indices, {1, 0});
  expect_values(x.argmin(1), {1, 2});
  expect_values(x.argmin(0), {0, 0, 0});
}

TEST(Max, AlongADimensionKeepsItIfAsked) {
  const Tensor x = zeros({2, 3, 4});
  const auto [values, indices] = x.max(1, true);
  EXPECT_EQ(values.sizes(), IntArrayRef({2, 1, 4}));
  EXPECT_EQ(indices.sizes(), IntArrayRef({2, 1, 4}));
  EXPECT_EQ(x.argmax(-1).sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(x.argmin(0, true).sizes(), IntArrayRef({1, 3, 4}));
}

TEST(Max, AlongADimensionHasSecondDerivatives) {
  const auto f = [](const Tensor& x) {
    const Tensor value = std::get<0>(x.max(0));
    return (value * value * value).sum();
  };
  EXPECT_THAT(hessian(f, constant({{1, 5}, {3, 2}})),
              ElementsAre(0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 18, 0, 0, 0, 0, 0));
}

TEST(Max, NoticesThatItsIndicesWereChanged) {
  const Tensor x = leaf({1, 3, 2});
  auto [value, index] = x.max(0);
  index.add_(1);
  EXPECT_THROW(value.backward(), SavedTensorModified);
}

TEST(Max, OfNothingIsAnError) {
  expect_error<ShapeError>("Expected reduction dim to be specified for input.numel() == 0", [] {
    zeros({2, 0}).max();
  });
  expect_error<ShapeError>("min: Expected reduction dim", [] { zeros({0}).min(); });
  expect_error<IndexError>("Expected reduction dim -1 to have non-zero size", [] {
    zeros({2, 0}).max(-1);
  });
  expect_error<IndexError>("argmin: Expected reduction dim 0", [] { zeros({0, 2}).argmin(0); });
}

TEST(Max, PlacesOverManyColumnsAreThoseOfEachColumn) {
  for (const ScalarType type : {kFloat32, kFloat64, kInt64, kInt16}) {
    Tensor x = (rand({2, 9, 1500}, dtype(kFloat64)) * 20).floor().to(type);  // equal ones, too
    if (is_floating_point(type)) x.select(2, 1030).select(1, 4).fill_(NAN);
    const Tensor places = x.argmax(1);
    for (int64_t k = 0; k < 1500; k += 103) {
      const Tensor column = x.select(2, k).contiguous();  // a row each
      EXPECT_TRUE(equal(places.select(1, k), column.argmax(1))) << name_of(type) << " " << k;
    }
    if (!is_floating_point(type)) continue;
    EXPECT_EQ(places.select(1, 1030).select(0, 1).item<int64_t>(), 4);
  }
}

}  // namespace
}  // namespace notape::testing
