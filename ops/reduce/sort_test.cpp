// sort, argsort, topk, median and scans. Numbers are PyTorch 2.15's.
#include "autograd/functional/functional.h"
#include "ops/ops.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

TEST(Sort, IsStableAndPutsNanLast) {
  const Tensor x = constant({3, kNaN, 1, 3});
  const auto [up, from] = notape::sort(x);
  expect_close(up, {1, 3, 3, kNaN});
  expect_values(from, {2, 0, 3, 1});
  const auto [down, back] = notape::sort(x, true, 0, true);
  expect_close(down, {kNaN, 3, 3, 1});
  expect_values(back, {1, 0, 3, 2});
  expect_values(argsort(x, -1, true), {1, 0, 3, 2});
  expect_values(argsort(x, true), {2, 0, 3, 1});
  EXPECT_EQ(from.dtype(), kInt64);
}

TEST(Sort, PutsTheGradientBack) {
  const auto f = [](const Tensor& x) { return std::get<0>(notape::sort(x, std::nullopt)); };
  expect_values(weighted_gradient(f, constant({3, 1, 2, 1})), {4, 1, 3, 2});
  expect_values(
      weighted_gradient([](const Tensor& x) { return std::get<0>(notape::sort(x)); }, constant(3)),
      {1});
}

TEST(Sort, TakesEveryDtypeShapeAndDimension) {
  expect_values(std::get<0>(notape::sort(tensor({{3, 1}, {2, 4}}), 0)), {2, 1, 3, 4});
  expect_values(std::get<1>(notape::sort(tensor({true, false}))), {1, 0});
  EXPECT_EQ(std::get<0>(notape::sort(tensor({2, 1}, dtype(kHalf)))).dtype(), kHalf);
  EXPECT_EQ(std::get<0>(notape::sort(zeros({2, 0}), 0)).sizes(), IntArrayRef({2, 0}));
  const Tensor many = arange(0, 3000, 1, dtype(kFloat64)).mul(7919).sin();
  const Tensor sorted = std::get<0>(notape::sort(many));
  EXPECT_TRUE(all(ge(sorted.narrow(0, 1, 2999), sorted.narrow(0, 0, 2999))).item<bool>());
  expect_error<IndexError>("", [] { notape::sort(zeros({2}), 1); });
}

TEST(Topk, TakesTheLargestOrSmallest) {
  const Tensor x = constant({3, kNaN, 1, 3});
  expect_close(std::get<0>(topk(x, 3)), {kNaN, 3, 3});
  expect_close(std::get<0>(topk(x, 3, -1, false)), {1, 3, 3});
  const auto f = [](const Tensor& v) { return std::get<0>(topk(v, 2)); };
  expect_values(weighted_gradient(f, constant({3, 1, 2, 1})), {1, 0, 2, 0});
  expect_values(std::get<0>(topk(constant(3), 0)), {3});
  EXPECT_EQ(std::get<1>(topk(zeros({2, 3}), 0, 1)).sizes(), IntArrayRef({2, 0}));
  expect_error<IndexError>("topk: selected index k out of range: k = 5", [&] { topk(x, 5); });
  expect_error<IndexError>("selected index k out of range", [&] { topk(x, -1); });
  expect_error<DtypeError>("topk: does not support bool", [] { topk(tensor({true}), 1); });
}

TEST(Median, IsTheSmallerMiddleAndSharesTies) {
  expect_values(median(constant({4, 1, 3, 2})), {2});
  expect_close(median(constant({1, kNaN, 3})), {kNaN});
  expect_close(median(zeros({0}, kFloat64)), {kNaN});
  const auto of_all = [](const Tensor& x) { return median(x); };
  expect_close(weighted_gradient(of_all, constant({1, 5, 5, 2, 5})),
               {0, 1.0 / 3, 1.0 / 3, 0, 1.0 / 3});
  const auto [values, indices] = median(constant({{4, 1, 1, 2}, {kNaN, 1, kNaN, 2}}), 1);
  expect_close(values, {1, kNaN});
  expect_values(indices, {2, 0});
  EXPECT_EQ(std::get<0>(median(zeros({2, 3}), 1, true)).sizes(), IntArrayRef({2, 1}));
  expect_error<IndexError>("median: Expected reduction dim 1 to have non-zero size", [] {
    median(zeros({2, 0}), 1);
  });
  expect_error<DtypeError>("median: does not support bool", [] { median(tensor({true})); });
}

TEST(Quantile, InterpolatesBetweenEntriesInOrder) {
  const Tensor x = constant({{4, 1, 3, 9}, {5, 0, 8, 6}}), q = constant({0, 0.3, 1});
  const auto of = [&](const char* how) { return quantile(x, q, {}, false, how); };
  expect_close(quantile(x, q, 0), {4, 0, 3, 6, 4.3, 0.3, 4.5, 6.9, 5, 1, 8, 9});
  expect_close(quantile(x, q, 1), {1, 0, 2.8, 4.5, 9, 8});
  expect_close(of("linear"), {0, 3.1, 9});
  expect_close(of("lower"), {0, 3, 9});
  expect_close(of("higher"), {0, 4, 9});
  expect_close(of("midpoint"), {0, 3.5, 9});
  expect_close(of("nearest"), {0, 3, 9});
  expect_close(quantile(constant({{4, 1, 3}, {2, kNaN, 7}}), 0.5, 1), {3, kNaN});
  expect_values(quantile(constant({kInfinity, kInfinity}), 0.4), {kInfinity});  // PyTorch: NaN
  EXPECT_EQ(quantile(x, 0.4, 1, true).sizes(), IntArrayRef({2, 1}));
  EXPECT_EQ(quantile(x, q, {}, true).sizes(), IntArrayRef({3, 1, 1}));
  EXPECT_EQ(quantile(constant(3), 0.4, 0).dim(), 0);

  const Tensor leaf = constant({4, 1, 3, 9}).requires_grad_(),
               place = constant(0.3).requires_grad_();
  quantile(leaf, place).backward();
  expect_close(leaf.grad(), {0, 0.1, 0.9, 0});
  expect_close(place.grad(), {6});
  expect_error<ValueError>("quantile: q must be in the range [0, 1]", [&] { quantile(x, 1.5); });
  expect_error<ValueError>("quantile: interpolation must be", [&] { of("cubic"); });
  expect_error<ShapeError>("non-empty", [] { quantile(zeros({0}), 0.5); });
  expect_error<ShapeError>("q must be a scalar or 1D", [&] { quantile(x, x); });
  expect_error<DtypeError>("float or double", [] { quantile(tensor({1, 2}), 0.5); });
}

TEST(Cummax, LetsTheLastOfEqualOnesAndNanWin) {
  const auto [largest, at] = cummax(constant({1, 3, 3, kNaN, 5, kNaN}), 0);
  expect_close(largest, {1, 3, 3, kNaN, kNaN, kNaN});
  expect_values(at, {0, 1, 2, 3, 3, 5});
  const auto [smallest, where] = cummin(constant({1, 1, 3, kNaN, 0, kNaN}), 0);
  expect_close(smallest, {1, 1, 1, kNaN, kNaN, kNaN});
  expect_values(where, {0, 1, 1, 3, 3, 5});
  const auto f = [](const Tensor& x) { return std::get<0>(cummax(x, 0)); };
  expect_values(weighted_gradient(f, constant({3, 1, 4, 1, 5})), {3, 0, 7, 0, 5});
  EXPECT_EQ(std::get<0>(cummin(zeros({0, 2}), 0)).sizes(), IntArrayRef({0, 2}));
}

TEST(Cumprod, HasExactSlopesBesideZeros) {
  const auto f = [](const Tensor& x) { return cumprod(x, 0); };
  const Tensor x = constant({2, 0, 3, 0, 4});
  expect_values(f(x), {2, 0, 0, 0, 0});
  expect_values(weighted_gradient(f, x), {1, 22, 0, 0, 0});
  EXPECT_EQ(cumprod(tensor({2, 3}, dtype(kInt32)), 0).dtype(), kInt64);
  EXPECT_EQ(cumprod(tensor({2, 3}), 0, kFloat32).dtype(), kFloat32);
  expect_values(cumprod(constant(3), 0), {3});
  EXPECT_EQ(cumprod(zeros({0}), -1).sizes(), IntArrayRef({0}));
}

TEST(Logcumsumexp, KeepsInfinities) {
  const auto f = [](const Tensor& x) { return logcumsumexp(x, 0); };
  const Tensor x = constant({1, 2, 0.5});
  expect_close(f(x), {1, 2.3132616875, 2.4643687841});
  EXPECT_THAT(values(weighted_gradient(f, x)),
              Pointwise(DoubleNear(1e-6), {2.2315545, 3.3477123, 0.4207332}));
  const Tensor ends = constant({-kInfinity, -kInfinity, 0, kInfinity, 1, kNaN});
  expect_close(f(ends), {-kInfinity, -kInfinity, 0, kInfinity, kInfinity, kNaN});
  expect_close(weighted_gradient(f, constant({-kInfinity, -kInfinity, 0})), {0, 0, 3});
  // Sums that are infinite leave numbers beside the infinite one a slope of 0, not NaN.
  const Tensor late = constant({1, -kInfinity, 2, kInfinity, 0});
  expect_close(weighted_gradient(f, late),
               {1 + 2 + 3 / (1 + std::exp(1.)), 0, 3 / (1 + std::exp(-1.)), kNaN, 0});
  expect_close(weighted_gradient(f, constant({kInfinity, 1, 2})), {kNaN, 0, 0});
  const auto tangents = autograd::functional::jvp(f, late, constant({1, 1, 1, 0, 1})).product;
  expect_close(tangents.narrow(0, 0, 3), {1, 1, 1});
  expect_error<DtypeError>("logcumsumexp", [] { logcumsumexp(arange(2), 0); });
}

TEST(Logcumsumexp, SharesLargeSums) {
  const auto last = [](const Tensor& x) { return logcumsumexp(x, 0)[-1]; };
  for (const ScalarType type : {kFloat64, kFloat32, kBFloat16})
    for (const double size : {0.0, 1e3, 1e9, 1e17, -1e17}) {
      Tensor x = full({4}, size, type).requires_grad_();
      last(x).backward();
      expect_close(x.grad(), {0.25, 0.25, 0.25, 0.25});
    }
  const Tensor x = constant({-800, 800, 800 - std::log(3.)});
  expect_close(weighted_gradient(last, x), {0, 0.75, 0.25});
}

}  // namespace
}  // namespace notape::testing
