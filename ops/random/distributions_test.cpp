// Distributions as wholes: Kolmogorov and Smirnov's test for continuous ones, Pearson's for
// discrete ones, both at a level of 1e-6 and from fixed seeds.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/ops.h"
#include "ops/parallel.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

constexpr int64_t kSample = 100000;
const ScalarType kDrawnTypes[] = {kFloat32, kFloat64};

using Distribution = double (*)(double);
double uniform_below(double x) { return x; }
double normal_below(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }
double exponential_below(double x) { return -std::expm1(-x); }

/// P(D > d) = 2 e^(-2 n d^2) for the largest distance D of n numbers.
void expect_distribution(const Tensor& sample, Distribution below, const char* what) {
  std::vector<double> x = values(sample.to(kFloat64));
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = below(x[i]);
    distance =
        std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  EXPECT_LT(distance * std::sqrt(n), std::sqrt(std::log(2 / 1e-6) / 2)) << what;
}

/// The quantile of chi-square by E. Wilson and M. Hilferty's cube.
void expect_counts(const std::vector<double>& counts, const std::vector<double>& expected,
                   const char* what) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  const double freedom = static_cast<double>(counts.size()) - 1, part = 2 / (9 * freedom);
  EXPECT_LT(sum, freedom * std::pow(1 - part + 4.7534 * std::sqrt(part), 3)) << what;
}

std::vector<double> histogram(const std::vector<double>& x, std::size_t bins) {
  std::vector<double> counts(bins);
  for (const double value : x) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

TEST(Distributions, OfFactories) {
  manual_seed(21);
  for (const ScalarType type : kDrawnTypes) {
    expect_distribution(rand({kSample}, type), uniform_below, "rand");
    expect_distribution(randn({kSample}, type), normal_below, "randn");
  }
  expect_counts(histogram(values(randint(0, 7, {kSample})), 7),
                std::vector<double>(7, kSample / 7.0), "randint");
}

TEST(Distributions, OfFills) {
  manual_seed(22);
  for (const ScalarType type : kDrawnTypes) {
    Tensor x = zeros({kSample}, type);
    expect_distribution((uniform_(x, -3, 5) + 3) / 8, uniform_below, "uniform_");
    expect_distribution((normal_(x, -2, 3) + 2) / 3, normal_below, "normal_");
    expect_distribution(exponential_(x, 4) * 4, exponential_below, "exponential_");
    expect_distribution(normal(zeros({kSample}, type), ones({kSample}, type)), normal_below,
                        "normal");
    expect_counts(histogram(values(random_(x, 3, 9) - 3), 6), std::vector<double>(6, kSample / 6.0),
                  "random_");
  }
}

TEST(Distributions, OfChoices) {
  manual_seed(23);
  for (const double p : {0.001, 0.3, 0.5}) {
    const std::vector<double> expected = {kSample * (1 - p), kSample * p};
    Tensor x = zeros({kSample});
    expect_counts(histogram(values(bernoulli_(x, p)), 2), expected, "bernoulli_");
    expect_counts(histogram(values(bernoulli(full({kSample}, p, kFloat64))), 2), expected,
                  "bernoulli");
    const Tensor mask = ne(dropout(ones({kSample}), p), 0).logical_not().to(kFloat32);
    expect_counts(histogram(values(mask), 2), expected, "dropout");
  }
  const Tensor weights = tensor({1., 2., 3., 4.});
  expect_counts(histogram(values(multinomial(weights, kSample, true)), 4),
                {kSample * 0.1, kSample * 0.2, kSample * 0.3, kSample * 0.4}, "multinomial");
  const Tensor firsts = multinomial(weights.expand({kSample, 4}), 2).select(1, 0);
  expect_counts(histogram(values(firsts), 4),
                {kSample * 0.1, kSample * 0.2, kSample * 0.3, kSample * 0.4},
                "without replacement");
}

TEST(Distributions, OfPermutations) {
  manual_seed(24);
  constexpr int kDraws = 24000;
  std::vector<double> counts(256);
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<double> order = values(randperm(4));
    ++counts[static_cast<std::size_t>(((order[0] * 4 + order[1]) * 4 + order[2]) * 4 + order[3])];
  }
  std::erase(counts, 0.0);
  ASSERT_EQ(counts.size(), 24u);
  expect_counts(counts, std::vector<double>(24, kDraws / 24.0), "randperm");
}

TEST(Distributions, DoNotTieNeighboursTogether) {
  manual_seed(25);
  for (const ScalarType type : kDrawnTypes) {
    const Tensor x = randn({kSample}, type).to(kFloat64);
    for (const int64_t apart : {1, 2, 16, 32, 64, 128}) {
      const Tensor a = x.narrow(0, 0, kSample - apart), b = x.narrow(0, apart, kSample - apart);
      // Numbers of a pair have a common radius: of dependent ones the squares would be correlated.
      for (const double r : {(a * b).mean().item(), ((a * a - 1) * (b * b - 1)).mean().item() / 2})
        EXPECT_LT(std::abs(r) * std::sqrt(kSample), 4.9) << apart;
    }
  }
}

TEST(RandomTails, ReachFarAndStayFinite) {
  manual_seed(26);
  const Tensor x = randn({1 << 22});
  EXPECT_GT(x.max().item(), 4.5);
  EXPECT_LT(x.min().item(), -4.5);
  EXPECT_LT(x.abs().max().item(), 6.7);
  Tensor y = zeros({1 << 22});
  exponential_(y);
  EXPECT_GT(y.min().item(), 0);
  EXPECT_GT(y.max().item(), 12);
}

TEST(RandomParts, AreTheSameForAnyNumberOfThreads) {
  const int before = get_num_threads();
  const auto draw = [] {
    manual_seed(27);
    Tensor x = zeros({200001});
    std::vector<std::vector<double>> all;
    for (const auto& fill :
         {+[](Tensor& t) { uniform_(t, 1, 2); }, +[](Tensor& t) { normal_(t); },
          +[](Tensor& t) { exponential_(t); }, +[](Tensor& t) { bernoulli_(t, 0.5); }}) {
      fill(x);
      all.push_back(values(x));
    }
    all.push_back(values(dropout(ones({200001}), 0.5)));
    return all;
  };
  set_num_threads(1);
  const auto alone = draw();
  set_num_threads(4);
  EXPECT_EQ(draw(), alone);
  set_num_threads(before);
}

TEST(GeneratorState, IsACopyOfTheGenerator) {
  manual_seed(28);
  rand({3});
  const Generator before = default_generator().clone();
  const std::vector<double> first = values(randn({500}));
  EXPECT_NE(values(randn({500})), first);
  default_generator().copy_state(before);
  EXPECT_EQ(values(randn({500})), first);
}

}  // namespace
}  // namespace notape::testing
