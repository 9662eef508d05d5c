// gelu of floats, whose loop has formulas of its own, beside erfc of the C library.
#include <cmath>
#include <random>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

constexpr long double kRootOfHalf = 0.707106781186547524400844362104849L;
constexpr long double kDensityAt0 = 0.398942280401432677939946059934382L;

/// The part of the normal distribution below x.
long double below(long double x) { return std::erfc(-x * kRootOfHalf) / 2; }

float unit_in_last_place(long double x) {
  const float size = std::abs(static_cast<float>(x));
  return std::nextafter(size, HUGE_VALF) - size;
}

std::vector<float> arguments() {
  std::vector<float> all = {0, 1e-30F, -1e-30F, 3e-39F, 1, -1, 14.4F, 14.5F, 20, 1e30F};
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> near(-12, 15), size(-20, 4);
  for (int i = 0; i < 20000; ++i) {
    all.push_back(near(random));
    all.push_back(std::exp2(size(random)) * (i % 2 == 0 ? 1.0F : -0.5F));
  }
  return all;
}

TEST(Gelu, OfFloatsIsWithinSevenUnitsInTheLastPlace) {
  std::vector<float> numbers = arguments();
  const Tensor x =
      from_blob(numbers.data(), {static_cast<int64_t>(numbers.size())}, TensorOptions(kFloat32))
          .clone()
          .requires_grad_();
  const Tensor y = gelu(x);
  y.backward(ones_like(y));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const long double at = numbers[i], value = at * below(at);
    EXPECT_LE(std::abs(y.data_ptr<float>()[i] - value), 7 * unit_in_last_place(value)) << at;
    // The slope passes through 0 at -0.75, so what counts is its two parts.
    const long double share = below(at), rest = at * kDensityAt0 * std::exp(-at * at / 2);
    EXPECT_LE(std::abs(x.grad().data_ptr<float>()[i] - (share + rest)),
              7 * (unit_in_last_place(share) + unit_in_last_place(rest)))
        << at;
  }
}

TEST(Gelu, OfInfinitiesAndNaN) {
  const float nan = std::nanf("");
  std::vector<float> numbers = {HUGE_VALF, nan, -20, -1e30F, 1e30F, -0.0F};
  const Tensor x = from_blob(numbers.data(), {6}, TensorOptions(kFloat32)).clone().requires_grad_();
  const Tensor y = gelu(x);
  const float* value = y.data_ptr<float>();
  EXPECT_EQ(value[0], HUGE_VALF);
  EXPECT_TRUE(std::isnan(value[1]));
  for (const int i : {2, 3, 5}) EXPECT_TRUE(value[i] == 0 && std::signbit(value[i])) << i;
  EXPECT_EQ(value[4], 1e30F);
  y.backward(ones_like(y));
  const float* slope = x.grad().data_ptr<float>();
  EXPECT_EQ(slope[0], 1);
  EXPECT_TRUE(std::isnan(slope[1]));
  EXPECT_EQ(slope[2], 0);
  EXPECT_EQ(slope[3], 0);
  EXPECT_EQ(slope[4], 1);
  EXPECT_EQ(slope[5], 0.5F);
}

}  // namespace
}  // namespace notape::testing
