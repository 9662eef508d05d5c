// Numbers of 16 bits against what rounding means: the nearest number there is, of two the even one.
#include "autograd/tensor/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "autograd/batching/random_factories.h"
#include "autograd/tensor/factories.h"
#include "ops/ops.h"

namespace notape {
namespace {

template <typename T>
struct Numbers16 : ::testing::Test {};
using Types = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(Numbers16, Types);

/// What the bits mean by the standard's formula.
template <typename T>
double meaning(uint16_t bits) {
  constexpr int kFraction = std::numeric_limits<T>::digits - 1;
  constexpr int kBias = (1 << (14 - kFraction)) - 1;
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = (bits & 0x7fff) >> kFraction, fraction = bits & ((1 << kFraction) - 1);
  if (exponent == 2 * kBias + 1) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - kBias - kFraction);
  return sign * std::ldexp((1 << kFraction) + fraction, exponent - kBias - kFraction);
}

TYPED_TEST(Numbers16, MeanWhatTheirBitsSay) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto number = TypeParam::from_bits(static_cast<uint16_t>(bits));
    const double expected = meaning<TypeParam>(number.bits());
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(number))) << bits;
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(NAN))));
      continue;
    }
    ASSERT_EQ(static_cast<double>(static_cast<float>(number)), expected) << bits;
    ASSERT_EQ(TypeParam(static_cast<float>(number)).bits(), bits);
    ASSERT_EQ(TypeParam(expected).bits(), bits);
  }
}

/// Of two neighbours the one that `value` is rounded to: the nearer, else the even one.
template <typename T>
uint16_t nearer(uint16_t low, double value) {
  const auto high = static_cast<uint16_t>(low + 1);
  const double to_low = value - meaning<T>(low);
  double above = meaning<T>(high);
  if (std::isinf(above)) above = 2 * meaning<T>(low) - meaning<T>(static_cast<uint16_t>(low - 1));
  const double to_high = above - value;
  if (to_low == to_high) return low & 1 ? high : low;
  return to_low < to_high ? low : high;
}

TYPED_TEST(Numbers16, AreTheNearestThereAre) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(0, 1);
  for (uint16_t low = 0; low < std::numeric_limits<TypeParam>::infinity().bits(); ++low) {
    const double from = meaning<TypeParam>(low);
    double to = meaning<TypeParam>(static_cast<uint16_t>(low + 1));
    if (std::isinf(to)) to = 2 * from - meaning<TypeParam>(static_cast<uint16_t>(low - 1));
    const double middle = (from + to) / 2;
    // A hair beside the middle, which is lost on the way through float.
    for (double value : {middle, std::nextafter(middle, from), std::nextafter(middle, to),
                         from + (to - from) * anywhere(random)}) {
      const uint16_t expected = nearer<TypeParam>(low, value);
      ASSERT_EQ(TypeParam(value).bits(), expected) << value;
      ASSERT_EQ(TypeParam(-value).bits(), expected | 0x8000) << value;
      const auto single = static_cast<float>(value);
      if (static_cast<double>(single) == value) {
        ASSERT_EQ(TypeParam(single).bits(), expected);
      }
    }
  }
  EXPECT_EQ(TypeParam(1e300).bits(), std::numeric_limits<TypeParam>::infinity().bits());
}

TEST(TensorsOf16Bits, AreMadeReadAndPrinted) {
  const Tensor x = tensor({1.0, -2.5, 0.1}, dtype(kHalf));
  EXPECT_EQ(x.dtype(), kFloat16);
  EXPECT_EQ(x.element_size(), 2U);
  EXPECT_EQ(x[2].item(), 0.0999755859375);
  EXPECT_EQ(x[1].item<Half>().bits(), Half(-2.5f).bits());
  EXPECT_EQ(tensor({1.0}, dtype(kBFloat16)).to_string(), " 1\n[ CPUBFloat16Type{1} ]");
  EXPECT_EQ(x.to(kBFloat16)[2].item(), 0.10009765625);
  EXPECT_EQ(full({2}, 3, dtype(kHalf)).data_ptr<Half>()[1], Half(3));
  EXPECT_THROW(full({2}, 70000, dtype(kHalf)), ValueError);
  EXPECT_EQ(randn({100}, kBFloat16).dtype(), kBFloat16);
  EXPECT_EQ(arange(3, dtype(kHalf)).sum().item(), 3);
}

TEST(TensorsOf16Bits, PromoteAsInLibTorch) {
  EXPECT_EQ(promote_types(kHalf, kBFloat16), kFloat32);
  EXPECT_EQ(promote_types(kBFloat16, kFloat32), kFloat32);
  EXPECT_EQ(promote_types(kInt64, kHalf), kHalf);
  const Tensor half = ones({2}, kHalf);
  EXPECT_EQ((half + ones({2}, kBFloat16)).dtype(), kFloat32);
  EXPECT_EQ((half + 1.5).dtype(), kHalf);
  EXPECT_EQ((half + ones({}, kFloat64)).dtype(), kHalf);
  EXPECT_EQ((half + arange(2)).dtype(), kHalf);
  EXPECT_EQ((half == half).dtype(), kBool);
}

/// What is beside them as a tensor without dimensions counts as a number does. Expected values are
/// PyTorch 2.15's.
TEST(TensorsOf16Bits, MeetNumbersBeyondTheirRange) {
  const Tensor half = tensor({2048.0, 0.0999755859375}, dtype(kHalf)), far = tensor(1e5, kFloat32);
  EXPECT_EQ((half / tensor(100000, kInt64))[0].item(), 0.0204772949218750);
  EXPECT_EQ((half * far)[1].item(), 10000);
  EXPECT_EQ((half / far).dtype(), kHalf);
  Tensor written = half.clone();
  EXPECT_EQ(written.div_(tensor(1e5, kFloat64))[0].item(), 0.0204772949218750);
  const Tensor x = half.clone().requires_grad_();
  (x / far).backward(full({2}, 1000, kHalf));
  EXPECT_EQ(x.grad()[0].item(), 0.01000213623046875);
  const Tensor equal = full({100000}, 3, kHalf).requires_grad_();
  equal.max().backward();
  EXPECT_EQ(equal.grad()[7].item(), 1.00135803222656250e-05);
}

TEST(TensorsOf16Bits, AreComparedWithNumbersOfTheirType) {
  const Tensor half = tensor({0.1}, dtype(kHalf));
  EXPECT_TRUE(half.eq(0.1).item<bool>());
  EXPECT_TRUE(half.eq(tensor(0.1, kFloat32)).item<bool>());
  EXPECT_FALSE(half.lt(0.1).item<bool>());
  EXPECT_FALSE(half.lt(tensor(0.1, kFloat32)).item<bool>());
  EXPECT_FALSE(half.eq(0.1001).item<bool>());
  EXPECT_TRUE(tensor({65504.0}, dtype(kHalf)).eq(65505).item<bool>());
}

TEST(TensorsOf16Bits, AreDifferentiated) {
  const Tensor x = tensor({0.5, -1.0, 2.0}, dtype(kHalf).requires_grad(true));
  (x.tanh() * x).sum().backward();
  EXPECT_EQ(x.grad().dtype(), kHalf);
  const Tensor y = x.detach().to(kFloat64).requires_grad_();
  (y.tanh() * y).sum().backward();
  EXPECT_TRUE(allclose(x.grad().to(kFloat64), y.grad(), 4e-3, 1e-4));
}

}  // namespace
}  // namespace notape
