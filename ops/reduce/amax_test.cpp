// amax, amin, aminmax, all, any, count_nonzero, argmax of all, std, norms and dtype arguments.
// Numbers are PyTorch 2.15's unless a test says otherwise.
#include "ops/ops.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

Tensor ranks() { return constant({{1, 2, 6}, {3, 3, 3}}); }

TEST(Amax, ReducesSeveralDimensionsAndSharesTies) {
  expect_values(amax(ranks(), 0), {3, 3, 6});
  expect_values(amin(ranks(), {0, -1}), {1});
  EXPECT_EQ(amax(zeros({2, 3, 4}), {0, 2}, true).sizes(), IntArrayRef({1, 3, 1}));
  const auto over_rows = [](const Tensor& x) { return amax(x, 0); };
  expect_values(weighted_gradient(over_rows, ranks()), {0, 0, 3, 1, 2, 0});
  const auto of_all = [](const Tensor& x) { return amin(x); };
  expect_close(weighted_gradient(of_all, constant({2, 1, 1})), {0, 0.5, 0.5});
  const auto [low, high] = aminmax(ranks(), 1, true);
  expect_values(low, {1, 3});
  expect_values(high, {6, 3});
  EXPECT_EQ(low.sizes(), IntArrayRef({2, 1}));
}

TEST(Amax, LetsNanWinInItsOwnGroup) {
  const Tensor x = constant({{1, kNaN}, {3, 2}});
  expect_close(amax(x, 1), {kNaN, 3});
  expect_close(weighted_gradient([](const Tensor& v) { return amax(v, 1); }, x), {0, 1, 2, 0});
}

TEST(Amax, OfNothingIsAnError) {
  expect_error<ShapeError>("amax: Expected reduction dim to be specified for input.numel() == 0",
                           [] {
                             amax(zeros({2, 0}));
                           });
  expect_error<IndexError>("amin: Expected reduction dim 1 to have non-zero size", [] {
    amin(zeros({2, 0}), 1);
  });
  EXPECT_EQ(amax(zeros({2, 0}), 0).sizes(), IntArrayRef({0}));
  expect_error<IndexError>("appears multiple times", [] { amax(zeros({2, 2}), {0, 0}); });
  expect_error<UndefinedTensor>("amax", [] { amax(Tensor()); });
  expect_error<IndexError>("argmax: Expected reduction dim to be specified",
                           [] { argmax(zeros({0})); });
}

TEST(Amax, KeepsTheDtype) {
  expect_values(amax(tensor({false, true})), {1});
  EXPECT_EQ(amax(tensor({1, 2}, dtype(kUInt8))).dtype(), kUInt8);
  EXPECT_EQ(amin(tensor({1, 2}, dtype(kHalf))).dtype(), kHalf);
}

TEST(Argmax, OfAllCountsThroughTheTensor) {
  expect_values(argmax(ranks()), {2});
  expect_values(argmin(ranks().t()), {0});
  EXPECT_EQ(argmax(ranks(), std::nullopt, true).sizes(), IntArrayRef({1, 1}));
  expect_values(argmax(ranks(), std::optional<int64_t>(1)), {2, 0});
  expect_values(max(constant({1, 5}), constant(2)), {2, 5});
  expect_values(min(constant({1, 5}), constant(2)), {1, 2});
}

TEST(AllAny, ReadTruth) {
  const Tensor x = constant({{0, 1}, {kNaN, 2}});
  expect_values(all(x, 1), {0, 1});
  expect_values(any(x, 1, true), {1, 1});
  expect_values(all(zeros({0})), {1});
  expect_values(any(zeros({0, 2}), 0), {0, 0});
  EXPECT_EQ(all(zeros({0, 3}), 1).sizes(), IntArrayRef({0}));
  EXPECT_EQ(any(x).dtype(), kBool);
  EXPECT_EQ(any(tensor({1, 0}, dtype(kUInt8))).dtype(), kUInt8);
  expect_values(any(tensor({2, 0}, dtype(kUInt8))), {1});
  expect_values(count_nonzero(x), {3});
  expect_values(count_nonzero(x, {0}), {1, 2});
  EXPECT_EQ(count_nonzero(x).dtype(), kInt64);
}

TEST(Std, HasACorrectionAndNoSlopeWhereThereIsNoDeviation) {
  const auto of_rows = [](const Tensor& x) { return notape::std(x, 1); };
  expect_close(of_rows(ranks()), {2.6457513111, 0});
  expect_close(weighted_gradient(of_rows, ranks()),
               {-0.3779644730, -0.1889822365, 0.5669467095, 0, 0, 0});
  expect_close(notape::std(constant({1, 2, 6}), 0, 0), {2.1602468995});
  expect_close(var(constant({1, 2, 6}), 0, 0.5), {5.6});
  expect_close(notape::std(constant({1, 2, 6}), false), {2.1602468995});
  expect_close(var(constant({{1, 2}}), 1, 2), {kInfinity});
  const auto [deviation, mean] = std_mean(constant({1, 2, 6}));
  expect_close(deviation, {2.6457513111});
  expect_close(mean, {3});
  expect_close(std::get<1>(var_mean(constant({1, 2, 6}), 0, 0.5)), {3});
  expect_values(notape::std(constant({0.1, 0.1, 0.1})), {0});  // LibTorch: 1.7e-17
  expect_error<DtypeError>("std", [] { notape::std(arange(3)); });
}

TEST(Norm, HasSlopesOfEveryOrder) {
  const Tensor x = constant({{1, 2, 2}, {0, 0, 0}});
  const auto check = [&](Scalar p, std::vector<double> value, std::vector<double> slope) {
    const auto f = [p](const Tensor& v) { return norm(v, p, 1); };
    slope.insert(slope.end(), {0, 0, 0});
    expect_close(f(x), value);
    const Tensor gradient = weighted_gradient(f, x);
    EXPECT_THAT(values(gradient), Pointwise(DoubleNear(1e-4), slope));
  };
  check(0, {3, 0}, {0, 0, 0});
  check(1, {5, 0}, {1, 1, 1});
  check(2, {3, 0}, {1.0 / 3, 2.0 / 3, 2.0 / 3});
  check(3, {2.5712815907, 0}, {0.1513, 0.6050, 0.6050});
  check(0.5, {14.6568542495, 0}, {3.8284, 2.7071, 2.7071});
  check(-1, {0.5, 0}, {0.25, 0.0625, 0.0625});
  check(-kInfinity, {1, 0}, {1, 0, 0});
  expect_close(
      weighted_gradient([](const Tensor& v) { return norm(v, kInfinity); }, constant({1, -2, 2})),
      {0, -0.5, 0.5});
  expect_values(norm(constant({3, 4})), {5});
  expect_values(norm(constant({3, 4}), std::nullopt, 0, true), {5});
}

TEST(Norm, StaysInRangeWherePowersDoNot) {  // LibTorch: inf and 0
  expect_close(norm(constant({3e200, 4e200})) / 1e200, {5});
  expect_close(norm(constant({3e-200, 4e-200})) * 1e200, {5});
  expect_close(norm(constant({kInfinity, 1})), {kInfinity});
  expect_close(norm(constant({kNaN, 1})), {kNaN});
}

TEST(Norm, ChecksDtypesAndEmptiness) {
  expect_error<DtypeError>(
      "linalg_vector_norm: Expected a floating point tensor as input. Got Long",
      [] { norm(arange(3)); });
  expect_error<DtypeError>("dtype should be floating point, but got Long",
                           [] { linalg_vector_norm(zeros({1}), 2, {}, false, kInt64); });
  expect_error<DtypeError>("convertible without narrowing",
                           [] { norm(zeros({1}, kFloat64), 2, kFloat32); });
  EXPECT_EQ(norm(zeros({1}), 2, kFloat64).dtype(), kFloat64);
  EXPECT_EQ(norm(zeros({1, 2}), 2, 1, true, kFloat64).sizes(), IntArrayRef({1, 1}));
  expect_values(norm(zeros({0})), {0});
  expect_error<ShapeError>("cannot compute the inf norm on an empty tensor", [] {
    norm(zeros({0, 3}), kInfinity, 0);
  });
  EXPECT_EQ(norm(zeros({0, 3}), kInfinity, 1).sizes(), IntArrayRef({0}));
}

TEST(DtypeArguments, ConvertFirst) {
  EXPECT_EQ(sum(tensor({true, true}), kInt32).dtype(), kInt32);
  expect_values(sum(tensor({true, true}), kInt32), {2});
  expect_close(softmax(tensor({1, 2}), 0, kFloat64), {0.2689414214, 0.7310585786});
  EXPECT_EQ(mean(tensor({1, 2}), kFloat32).dtype(), kFloat32);
  EXPECT_EQ(prod(tensor({1, 2}), 0, true, kUInt8).dtype(), kUInt8);
  EXPECT_EQ(cumsum(tensor({1, 2}), 0, kFloat64).dtype(), kFloat64);
  EXPECT_EQ(log_softmax(tensor({1, 2}), 0, kFloat32).dtype(), kFloat32);
  expect_error<DtypeError>("mean", [] { mean(tensor({1.0, 2.0}), kInt64); });
}

}  // namespace
}  // namespace notape::testing
