#include "ops/ops.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

constexpr int64_t kMany = 40000;

/// Of a sample whose numbers have this mean and standard deviation, four sigma allowed.
void expect_mean(const Tensor& sample, double mean, double deviation,
                 std::source_location at = std::source_location::current()) {
  const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "expect_mean");
  const double sigma = deviation / std::sqrt(static_cast<double>(sample.numel()));
  EXPECT_NEAR(sample.to(kFloat64).mean().item(), mean, 4 * sigma);
}

using Fill = std::function<void(Tensor&)>;
const std::vector<Fill> kFloatingFills = {[](Tensor& x) { uniform_(x, -1, 3); },
                                          [](Tensor& x) { normal_(x, 2, 3); },
                                          [](Tensor& x) { exponential_(x, 2); },
                                          [](Tensor& x) { random_(x, 3, 9); },
                                          [](Tensor& x) { bernoulli_(x, 0.3); },
                                          [](Tensor& x) { bernoulli_(x, full({}, 0.3, kFloat64)); }};

TEST(RandomFills, HaveTheRightMeanAndVariance) {
  manual_seed(5);
  const double means[] = {1, 2, 0.5, 5.5, 0.3, 0.3};
  const double variances[] = {16.0 / 12, 9, 0.25, 35.0 / 12, 0.21, 0.21};
  for (std::size_t i = 0; i < kFloatingFills.size(); ++i)
    for (const ScalarType type : {kFloat64, kFloat32}) {
      SCOPED_TRACE(i);
      Tensor x = zeros({kMany}, type);
      kFloatingFills[i](x);
      expect_mean(x, means[i], std::sqrt(variances[i]));
      const Tensor apart = x.to(kFloat64) - means[i];
      EXPECT_NEAR((apart * apart).mean().item() / variances[i], 1, 0.1);
    }
}

TEST(RandomFills, AreRepeatedByTheSeedInEveryLayoutAndDtype) {
  for (const Fill& fill : kFloatingFills) {
    Tensor x = zeros({3, 4}, kFloat64), y = zeros({4, 3}, kFloat64).t();
    manual_seed(1);
    fill(x);
    manual_seed(1);
    fill(y);
    EXPECT_EQ(values(x), values(y));
  }
}

TEST(RandomFills, OverwriteTheGradient) {
  for (const Fill& fill : kFloatingFills) {
    const Tensor x = leaf({1, 2});
    Tensor y = x * 2;
    fill(y);
    (y * x).sum().backward();
    expect_values(x.grad(), values(y));  // by the factor x alone
    Tensor wanting = leaf({1, 2});
    const Unchanged unchanged({wanting});
    expect_error<LeafInPlace>("", [&] { fill(wanting); });
    unchanged.check();
    const autograd::forward_ad::DualLevelGuard level;
    Tensor dual = autograd::forward_ad::make_dual(constant({1, 2}), constant({3, 4})) * 1;
    fill(dual);
    expect_values(autograd::forward_ad::unpack_dual(dual).tangent, {0, 0});
  }
}

TEST(Uniform, StaysBelowItsEnd) {
  manual_seed(2);
  for (const ScalarType type : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    Tensor x = zeros({kMany}, type);
    uniform_(x, 1, 1.0625);
    EXPECT_GE(x.to(kFloat64).min().item(), 1);
    EXPECT_LT(x.to(kFloat64).max().item(), 1.0625);
    uniform_(x, 3, 3);
    EXPECT_EQ(x.to(kFloat64).min().item(), 3);
  }
  Tensor x = zeros({2});
  expect_error<ValueError>(
      "uniform_: expects to return a [from, to) range, but found from=2 > to=1",
      [&] { uniform_(x, 2, 1); });
  expect_error<ValueError>("", [&] { uniform_(x, 0, kNaN); });
  Tensor wide = zeros({2}, kFloat64);
  expect_error<ValueError>("expects to-from to be finite",
                           [&] { uniform_(wide, -1.7e308, 1.7e308); });
}

TEST(Random, ReachesEveryNumberOfItsRange) {
  manual_seed(3);
  for (const ScalarType type : {kUInt8, kInt8, kInt16, kInt32, kInt64, kFloat32}) {
    Tensor x = zeros({2000}, type);
    random_(x, 3, 6);
    EXPECT_EQ(x.min().item(), 3);
    EXPECT_EQ(x.max().item(), 5);
    random_(x, 2);
    EXPECT_EQ(x.min().item(), 0);
    EXPECT_EQ(x.max().item(), 1);
  }
  Tensor bytes = zeros({20000}, kUInt8);
  random_(bytes);
  EXPECT_EQ(bytes.min().item(), 0);
  EXPECT_EQ(bytes.max().item(), 255);
  Tensor bools = zeros({200}, kBool);
  random_(bools);
  expect_mean(bools, 0.5, 0.5);
  Tensor half = zeros({2000}, kFloat16);
  random_(half);
  EXPECT_LE(half.to(kFloat32).max().item(), 2048);
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  Tensor whole = zeros({1000}, kInt64);
  random_(whole, lowest, std::optional<int64_t>());
  EXPECT_LT(whole.min().item(), 0);
  EXPECT_GT(whole.max().item(), 0);
  expect_error<ValueError>("random_: to - 1 is out of bounds for uint8",
                           [&] { random_(bytes, 0, 300); });
  expect_error<ValueError>("random_: from is out of bounds for uint8",
                           [&] { random_(bytes, -1, 3); });
  expect_error<ValueError>("expects 'from' to be less than 'to', but got from=3 >= to=3",
                           [&] { random_(bytes, 3, 3); });
}

TEST(Bernoulli, DrawsWithTheGivenProbabilities) {
  manual_seed(4);
  const Tensor p = tensor({0., 1., 0.25}).expand({kMany, 3});
  const Tensor drawn = bernoulli(p);
  EXPECT_EQ(drawn.dtype(), kFloat32);
  const std::vector<double> means = values(drawn.mean({0}));
  EXPECT_EQ(means[0], 0);
  EXPECT_EQ(means[1], 1);
  EXPECT_NEAR(means[2], 0.25, 4 * std::sqrt(0.1875 / kMany));
  expect_mean(bernoulli(zeros({kMany}, kInt64), 0.5), 0.5, 0.5);
  Tensor whole = zeros({kMany}, kInt64);
  expect_mean(bernoulli_(whole, full({1}, 0.5)), 0.5, 0.5);
  const Tensor x = leaf({0.5, 0.5});
  bernoulli(x).sum().backward();
  expect_values(x.grad(), {0, 0});
  for (const double bad : {-0.5, 1.5, kNaN}) {
    expect_error<ValueError>("bernoulli: expects p to be in [0, 1]",
                             [&] { bernoulli(full({1}, bad, kFloat64)); });
    expect_error<ValueError>("bernoulli_: expects p to be in [0, 1]",
                             [&] { bernoulli_(whole, bad); });
  }
  expect_error<DtypeError>("bernoulli: not implemented for int64", [&] { bernoulli(whole); });
  expect_error<ShapeError>("p of size [2] cannot be expanded to [40000]",
                           [&] { bernoulli_(whole, full({2}, 0.5)); });
}

TEST(Normal, IsReparameterised) {
  manual_seed(6);
  const Tensor mean = leaf({{1}, {2}}), std = leaf({1, 0});
  const Tensor y = normal(mean, std);
  y.sum().backward();
  expect_values(mean.grad(), {2, 2});
  expect_close(std.grad().slice(0, 0, 1), {values(y)[0] + values(y)[2] - 3});
  expect_values(y.select(1, 1).detach(), {1, 2});
  EXPECT_EQ(normal(ones({2}, kFloat16), ones({2})).dtype(), kFloat32);
  expect_mean(normal(zeros({kMany}), 2), 0, 2);
  expect_mean(normal(1, full({kMany}, 3.)), 1, 3);
  expect_error<ValueError>("normal: expects all elements of std >= 0.0", [] {
    normal(0, tensor({1., -1.}));
  });
  expect_error<ValueError>("normal: expects std >= 0.0", [] { normal(ones({2}), -1); });
  expect_error<DtypeError>("normal: not implemented for int64", [] { normal(tensor({1}), 1); });
  Tensor x = zeros({2}), n = zeros({2}, kInt64);
  expect_error<ValueError>("normal_: expects std >= 0.0, but found std -1",
                           [&] { normal_(x, 0, -1); });
  expect_error<ValueError>("exponential_: expects lambda > 0.0", [&] { exponential_(x, 0); });
  expect_error<DtypeError>("exponential_: not implemented for int64", [&] { exponential_(n); });
  expect_error<DtypeError>("uniform_: not implemented for int64", [&] { uniform_(n); });
}

TEST(Multinomial, DrawsByWeight) {
  manual_seed(7);
  const Tensor weights = tensor({{0., 1., 3.}, {2., 2., 0.}});
  const Tensor drawn = multinomial(weights, kMany, true);
  EXPECT_EQ(drawn.dtype(), kInt64);
  EXPECT_EQ(drawn.sizes().vec(), (std::vector<int64_t>{2, kMany}));
  for (const auto& [row, index, p] : std::vector<std::tuple<int64_t, int64_t, double>>{
           {0, 0, 0}, {0, 1, 0.25}, {1, 0, 0.5}, {1, 2, 0}})
    EXPECT_NEAR(eq(drawn[row], index).to(kFloat64).mean().item(), p,
                4 * std::sqrt(p * (1 - p) / kMany));
}

TEST(Multinomial, WithoutReplacementDrawsNothingTwice) {
  manual_seed(8);
  const Tensor drawn = multinomial(tensor({1., 2., 3.}).expand({kMany, 3}), 2);
  EXPECT_FALSE(eq(drawn.select(1, 0), drawn.select(1, 1)).to(kInt64).max().item<int64_t>());
  // The second is drawn among what the first has left: P(2 then 1) = 3/6 2/3.
  const Tensor both = eq(drawn.select(1, 0) * 3 + drawn.select(1, 1), 7);  // 2, 1
  EXPECT_NEAR(both.to(kFloat64).mean().item(), 1.0 / 3, 0.01);
  expect_values(sum(multinomial(tensor({1., 1., 1.}), 3)), {3});
}

TEST(Multinomial, RefusesWhatIsNoDistribution) {
  const auto refused = [](const char* fragment, const Tensor& weights, int64_t n = 1,
                          bool replacement = false) {
    expect_error<ValueError>(fragment, [&] { multinomial(weights, n, replacement); });
  };
  refused("probability tensor contains either `inf`, `nan` or element < 0", tensor({1., -1.}));
  refused("probability tensor contains", tensor({1., kNaN}));
  refused("probability tensor contains", tensor({1., kInfinity}));
  refused("sum of probabilities is 0", zeros({2}));
  refused("cannot sample n_sample <= 0 samples", ones({2}), 0);
  refused("cannot sample n_sample > prob_dist.size(-1) samples", ones({2}), 3);
  refused("not enough non-negative category", tensor({0., 1.}), 2);  // LibTorch: draws 0, too
  refused("sum of probabilities is 0", zeros({0}), 1, true);
  expect_error<ShapeError>("multinomial: prob_dist must be 1 or 2 dim",
                           [] { multinomial(ones({}), 1); });
  expect_error<DtypeError>("multinomial: not implemented for int64",
                           [] { multinomial(tensor({1}), 1); });
  EXPECT_EQ(multinomial(zeros({0, 2}), 1).sizes().vec(), (std::vector<int64_t>{0, 1}));
}

TEST(RandomOperators, DrawForEachSampleInsideVmap) {
  manual_seed(9);
  const Tensor x = zeros({3, 100}, kFloat64);
  const auto different = [&](const auto& f) {
    const Tensor y = autograd::functional::vmap(autograd::functional::TensorFunction(f), 0, 0,
                                                Randomness::Different)(x);
    EXPECT_NE(values(y[0]), values(y[1]));
    EXPECT_EQ(y.sizes().vec()[0], 3);
  };
  different([](const Tensor& one) {
    Tensor y = one * 1;
    return uniform_(y);
  });
  different([](const Tensor& one) { return bernoulli(one + 0.5); });
  different([](const Tensor& one) { return multinomial(one + 1, 50).to(kFloat64); });
  different([](const Tensor& one) { return normal(one, 1); });
  different([](const Tensor& one) { return std::get<0>(native_dropout(one + 1, 0.5)); });
}

TEST(ChannelDropout, DropsWholeChannels) {
  manual_seed(10);
  const Tensor x = ones({50, 4, 3, 2}, kFloat64);
  for (const Tensor& y : {feature_dropout(x, 0.5, true), feature_alpha_dropout(x, 0.5, true)}) {
    const Tensor channels = y.reshape({200, 6});
    expect_values(std::get<0>(max(channels, 1)), values(std::get<0>(min(channels, 1))));
    EXPECT_NE(channels.max().item(), channels.min().item());
  }
  expect_error<ShapeError>("feature_dropout: feature dropout requires at least 2 dimensions",
                           [] { feature_dropout(ones({3}), 0.5, true); });
}

TEST(AlphaDropout, KeepsMeanAndVariance) {
  manual_seed(11);
  const Tensor x = randn({kMany}, kFloat64);
  for (const double p : {0.1, 0.5}) {
    const Tensor y = alpha_dropout(x, p, true);
    EXPECT_NEAR(y.mean().item(), 0, 0.03);
    EXPECT_NEAR(y.var().item(), 1, 0.03);
  }
  expect_values(alpha_dropout(ones({2}), 1, true), {0, 0});
  EXPECT_TRUE(alpha_dropout(x, 0.5, false).is_same(x));
  expect_error<ValueError>("alpha_dropout: dropout probability has to be between 0 and 1",
                           [&] { alpha_dropout(x, 2, true); });
  expect_error<DtypeError>("can't be cast", [] { alpha_dropout(tensor({1}), 0.5, true); });
}

TEST(NativeDropout, SaysWhatItKept) {
  manual_seed(12);
  const Tensor x = ones({100}, kFloat64);
  const auto [y, mask] = native_dropout(x, 0.5);
  EXPECT_EQ(mask.dtype(), kBool);
  expect_values(y, values(mask.to(kFloat64) * 2));
  const auto [same, all] = native_dropout(x, 0.5, false);
  EXPECT_FALSE(same.is_alias_of(x));
  expect_values(same, values(x));
  expect_values(all, values(x));
}

}  // namespace
}  // namespace notape::testing
