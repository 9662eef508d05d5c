// Noise of known size, and where it is measured.
#include "verify/numeric/noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace notape::verify {
namespace {

constexpr int kKeys = 200;

/// Uniform in [-1, 1).
double random_number(uint32_t key, std::size_t k) { return keyed_bits(key, 99, k) * 0x1p-31 - 1; }

template <typename F>
double fitted(uint32_t key, F f) {
  double samples[kNoiseSamples];
  for (std::size_t k = 0; k < kNoiseSamples; ++k) samples[k] = f(noise_abscissa(key, k), k);
  return NoiseFit(key)(samples);
}

TEST(NoiseFit, AConstantHasExactlyNoNoise) {
  for (uint32_t key = 0; key < kKeys; ++key)
    EXPECT_EQ(fitted(key, [](double, std::size_t) { return 0.1; }), 0);
}

TEST(NoiseFit, AQuinticHasNoNoise) {
  for (uint32_t key = 0; key < kKeys; ++key)
    EXPECT_LT(
        fitted(key, [](double t,
                       std::size_t) { return 3 + t * (2 - t * (1 + t * (4 - t * (2 + 5 * t)))); }),
        1e-14);
}

TEST(NoiseFit, TheNoiseOnASmoothFunctionIsFoundWithinAFactorOfThree) {
  constexpr double kSize = 1e-9, kDeviation = kSize / 1.7320508;
  double squares = 0;
  for (uint32_t key = 0; key < kKeys; ++key) {
    const double found = fitted(key, [&](double t, std::size_t k) {
      return std::exp(0x1p-8 * t) + kSize * random_number(key, k);
    });
    EXPECT_GT(found, kDeviation / 3) << key;
    EXPECT_LT(found, kDeviation * 3) << key;
    squares += found * found;
  }
  EXPECT_NEAR(std::sqrt(squares / kKeys), kDeviation, 0.05 * kDeviation);
}

TEST(NoiseFit, NoiseWhoseSquareUnderflowsIsFound) {
  constexpr double kTiny = 0x1p-700;
  for (uint32_t key = 0; key < kKeys; ++key) {
    const auto noise = [&](double size) {
      return fitted(key, [&](double, std::size_t k) { return size * random_number(key, k); });
    };
    EXPECT_EQ(noise(kTiny), kTiny * noise(1));
  }
}

TEST(NoiseFit, RoundingToStepsIsNoise) {
  // Ten steps over the way: a deviation of 1 / sqrt(12) steps.
  double squares = 0;
  for (uint32_t key = 0; key < kKeys; ++key) {
    const double found = fitted(key, [](double t, std::size_t) { return std::floor(10 * t); });
    EXPECT_GT(found, 0.05) << key;
    squares += found * found;
  }
  EXPECT_NEAR(std::sqrt(squares / kKeys), 0.2887, 0.06);
}

DrawnCase case_of(double value, Domain domain, uint32_t key) {
  DrawnCase drawn;
  drawn.key = key;
  drawn.arguments.push_back({{.sizes = {1}, .domain = std::move(domain)}, {value}, {}});
  return drawn;
}

struct Place {
  double value;
  Domain domain;
};

const Place kPlaces[] = {
    {0.5, {}},
    {-2, {}},
    {3, {}},                     // at the end
    {0, {.low = 0, .high = 5}},  // at the other end
    {1e-3, {.kinks = {0}}},      // beside a kink
    {-1e-3, {.kinks = {0}}},
    {7.999, {.low = -8, .high = 8, .kinks = {8}}},
    {2.999, {.low = 0, .high = 3, .kinks = {2.998}}},  // between a kink and the end
    {1, {.kinks = {0.999, 1.001}}},                    // between kinks
};

TEST(NoisePoints, FirstIsTheInputsThemselves) {
  for (const Place& place : kPlaces) {
    const NoisePoint point = noise_point(case_of(place.value, place.domain, 5), {1.5}, kFloat64, 0);
    EXPECT_EQ(point.values[0][0], place.value);
    EXPECT_EQ(point.incoming[0], 1.5);
  }
}

TEST(NoisePoints, StayInTheDomainAndOnOneSideOfEveryKink) {
  for (const Place& place : kPlaces)
    for (uint32_t key = 0; key < kKeys; ++key)
      for (ScalarType dtype : {kFloat32, kFloat64})
        for (std::size_t k = 0; k < kNoiseSamples; ++k) {
          const double moved =
              noise_point(case_of(place.value, place.domain, key), {1}, dtype, k).values[0][0];
          EXPECT_GE(moved, place.domain.low);
          EXPECT_LE(moved, place.domain.high);
          for (double kink : place.domain.kinks) {
            EXPECT_EQ(moved < kink, place.value < kink);
            EXPECT_GE(std::abs(moved - kink), 0.5 * std::abs(place.value - kink));
          }
        }
}

TEST(NoisePoints, MoveAsFarAsElsewhereBesideAKinkOrAtAnEnd) {
  const Place places[] = {{3, {}}, {1, {.kinks = {1.001}}}, {1, {.kinks = {0.999}}}};
  for (const Place& place : places)
    for (uint32_t key = 0; key < kKeys; ++key) {
      double furthest = 0;
      for (std::size_t k = 0; k < kNoiseSamples; ++k)
        furthest =
            std::max(furthest,
                     std::abs(noise_point(case_of(place.value, place.domain, key), {1}, kFloat32, k)
                                  .values[0][0] -
                              place.value));
      EXPECT_GT(furthest, 0x1p-10 * place.value) << key;
    }
}

TEST(NoisePoints, IndicesDoNotMove) {
  DrawnCase drawn;
  drawn.arguments.push_back({Argument::index({1}, 4), {2}, {}});
  for (std::size_t k = 0; k < kNoiseSamples; ++k)
    EXPECT_EQ(noise_point(drawn, {}, kFloat64, k).values[0][0], 2);
}

}  // namespace
}  // namespace notape::verify
