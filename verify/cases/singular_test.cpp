// Regression cases C: points where the usual formula is 0 * inf, 0 / 0 or ambiguous. (Conventions:
// verify/atlas/.)
#include "verify/cases/testing/raise_or.h"

namespace notape::testing {
namespace {

using T = const Tensor&;

template <typename F>
Tensor gradient_of_sum(const F& f, const NestedNumbers& at) {
  const Tensor x = leaf(at);
  f(x).sum().backward();
  return x.grad();
}

/// The first derivatives of f at a point.
template <typename F>
std::vector<double> derivatives(const F& f, double at, int orders) {
  const Tensor x = leaf(at);
  std::vector<double> result;
  Tensor y = f(x);
  for (int order = 0; order < orders; ++order) {
    y = autograd::grad({y}, {x}, {}, true, true)[0];
    result.push_back(y.item());
  }
  return result;
}

TEST(Cases, C1_WhereKeepsTheSlopeOfCosineAtInfinityOut) {
  expect_values(gradient_of_sum([](T x) { return where(x < 1, cos(x), 0); }, {0, kInfinity}),
                {0, 0});
}

TEST(Cases, C2_WhereKeepsAnOverflownExponentialOut) {
  expect_values(gradient_of_sum([](T a) { return where(a <= 0, exp(a), 1 + a); }, {1000}), {1});
}

TEST(Cases, C3_WhereKeepsRootsAndLogarithmsOutsideTheirDomainsOut) {
  expect_values(gradient_of_sum([](T x) { return where(x > 0, sqrt(x), x); }, {-1, -4}), {1, 1});
  const auto log2 = [](T x) { return log(x) / std::log(2.0); };
  expect_close(gradient_of_sum([&](T x) { return where(x > 2, log2(x), 2 * x); }, {0, 2, 3}),
               {2, 2, 0.4808983469629878});
}

TEST(Cases, C11_LogsumexpOfAMaskedLargeElementIsThatOfTheOthers) {
  const auto masked = [](T x) {
    const Tensor keep = tensor({1, 0}, kInt64).eq(1);
    return where(keep, exp(x), 0).sum().log();
  };
  expect_values(gradient_of_sum(masked, {0, 1000}), {1, 0});
}

TEST(Cases, C11_LogsumexpOfAMaskedElementIsThatOfTheOthers) {
  const auto masked = [](T x) {
    return logsumexp(masked_fill(x, tensor({0, 1}, kInt64).eq(1), -kInfinity), 0);
  };
  expect_values(gradient_of_sum(masked, {0, 100}), {1, 0});
  const auto picked = [](T x) { return logsumexp(x.index({tensor({1, 0}, kInt64).eq(1)}), 0); };
  expect_values(gradient_of_sum(picked, {0, 100}), {1, 0});
}

TEST(Cases, C4_TheNormOfZerosHasDerivativeZero) {
  expect_values(gradient_of_sum([](T x) { return norm(x); }, {0, 0, 0}), {0, 0, 0});
  expect_values(gradient_of_sum([](T x) { return linalg_vector_norm(x); }, {0, 0, 0}), {0, 0, 0});
}

TEST(Cases, C5_TheDeviationOfEqualNumbersHasDerivativeZero) {
  expect_values(gradient_of_sum([](T x) { return x.std(); }, {1, 1, 1, 1}), {0, 0, 0, 0});
}

TEST(Cases, C6_ZeroToAPowerIsFlatInTheExponent) {
  const Tensor b = leaf(1);
  pow(constant({0, 2}), b.expand({2})).backward(constant({1, 0}));
  EXPECT_EQ(b.grad().item(), 0);
  expect_close(gradient_of_sum(
                   [](T e) {
                     return pow(constant({0, 2}), e);
                   },
                   {1, 1}),
               {0, 1.3862943611});
}

TEST(Cases, C7_ToThePowerOfZeroIsConstantAtZeroToo) {
  expect_values(gradient_of_sum([](T x) { return pow(x, 0); }, {0}), {0});
  expect_values(gradient_of_sum([](T x) { return pow(x, zeros_like(x)); }, {0}), {0});
}

TEST(Cases, C8_ASquareWithATensorExponentHasThreeDerivativesAtZero) {
  EXPECT_THAT(derivatives([](T x) { return pow(x, constant(2)); }, 0, 3), ElementsAre(0, 2, 0));
}

TEST(Cases, C9_DistancesOfEqualRowsHaveDerivativeZero) {
  const auto distances = [](T x) {
    return cdist(x.reshape({2, 2}), tensor({0, 1, 0, 2}).to(x.dtype()).reshape({2, 2}));
  };
  const double diagonal = std::sqrt(0.5);
  const Tensor slope = gradient_of_sum(distances, {0, 1, 1, 1});
  EXPECT_TRUE(allclose(slope, tensor({0, -1, 1 + diagonal, -diagonal}).to(slope.dtype())));
}

TEST(Cases, C13_ProductsWithZerosAreDifferentiatedByExclusion) {
  expect_values(gradient_of_sum([](T x) { return prod(x); }, {0, 2, 3}), {6, 0, 0});
  const auto cumulative = [](T x) { return cumprod(x, 0); };
  expect_values(gradient_of_sum(cumulative, {0, 2, 3}), {9, 0, 0});
  expect_values(gradient_of_sum(cumulative, {2, 3, 0}), {4, 2, 6});
  expect_values(gradient_of_sum(cumulative, {2, 0, 0, 3}), {1, 2, 0, 0});
}

TEST(Cases, C16_EveryOneSidedBoundHasDerivativeZeroOnIt) {
  Tensor (*const functions[])(T) = {[](T x) { return clamp(x, 0, 6); },
                                    [](T x) { return clamp_min(x, 0); },
                                    [](T x) { return clamp_max(x, 0); },
                                    [](T x) { return relu(x); },
                                    [](T x) { return clamp_max(relu(x), 6); },
                                    [](T x) { return clamp(x, -1, 0); },
                                    [](T x) { return maximum(x, zeros_like(x)); },
                                    [](T x) { return relu6(x); },
                                    [](T x) { return hardtanh(x, 0, 6); }};
  for (const auto f : functions) expect_values(gradient_of_sum(f, {0}), {0});
}

TEST(Cases, C17_AGuardedQuotientHasItsHonestDerivativeAtZero) {
  expect_close(gradient_of_sum([](T x) { return x / clamp_min(abs(x), 1e-12); }, {0}), {1e12});
}

}  // namespace
}  // namespace notape::testing
