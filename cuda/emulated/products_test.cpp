// Products that add a bias by cuBLASLt, which is the emulated one: the CPU's values, in one launch
// where that can be, and what does not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

const Device kOfProducts(kCUDA);

struct ProductsWithBias : ::testing::TestWithParam<ScalarType> {
  void TearDown() override {
    emulator::refuses_bias = false;
    EXPECT_THAT(emulator::take_findings(), ::testing::IsEmpty());
  }
  /// How many launches addmm of these takes, whose values are checked.
  static int launches_of(const Tensor& bias, const Tensor& a, const Tensor& b, double beta = 1,
                         double alpha = 1) {
    const auto there = [](const Tensor& x) {  // in the same layout
      const Tensor all = x.t().is_contiguous() && x.dim() == 2 ? x.t() : x;
      const Tensor moved = all.to(kOfProducts);
      return all.is_same(x) ? moved : moved.t();
    };
    const Tensor x = there(bias), y = there(a), z = there(b);
    emulator::take_counts();
    const Tensor result = addmm(x, y, z, beta, alpha);
    const int launches = emulator::take_counts().launches;
    const double error = GetParam() == kFloat64 ? 1e-12 : GetParam() == kFloat32 ? 1e-5 : 3e-2;
    EXPECT_TRUE(allclose(result.cpu().to(kFloat64), addmm(bias, a, b, beta, alpha).to(kFloat64),
                         error, error));
    return launches;
  }
};

TEST_P(ProductsWithBias, AreOneLaunch) {
  const ScalarType type = GetParam();
  for (const auto& [n, k, m] : {std::array{2, 1, 2}, {3, 5, 4}, {33, 16, 7}}) {
    const Tensor bias = randn({m}, type), a = randn({n, k}, type), b = randn({k, m}, type);
    EXPECT_EQ(launches_of(bias, a, b), 1);
    EXPECT_EQ(launches_of(bias, a, randn({m, k}, type).t()), 1);
    EXPECT_EQ(launches_of(bias, randn({k, n}, type).t(), b), 1);
    EXPECT_EQ(launches_of(bias, a, b, 1, -0.5), 1);
    EXPECT_EQ(launches_of(bias.view({1, m}), a, b), 1);
    const Tensor all = randn({n, m}, type);
    EXPECT_EQ(launches_of(all, a, b), 1);
    EXPECT_EQ(launches_of(all, a, b, -0.5, 2), 1);
  }
}

TEST_P(ProductsWithBias, CopyWhatDoesNotFit) {
  const ScalarType type = GetParam();
  const Tensor bias = randn({4}, type), a = randn({3, 5}, type), b = randn({5, 4}, type);
  EXPECT_EQ(launches_of(bias, a, b, 2), 2);
  EXPECT_EQ(launches_of(bias, a, b, 1, 0), 2);
  EXPECT_EQ(launches_of(randn({3, 1}, type), a, b), 2);
  EXPECT_EQ(launches_of(randn({4, 3}, type).t(), a, b), 2);
  EXPECT_EQ(launches_of(randn({3, 4}, type), a, b, 0), 1);
  EXPECT_EQ(launches_of(randn({}, type), a, b), 2);
  EXPECT_EQ(launches_of(bias, a.slice(0, 0, 1), b), 2);
  EXPECT_EQ(launches_of(randn({1, 4}, type), a.slice(0, 0, 1), b), 2);
  EXPECT_EQ(launches_of(randn({3, 1}, type), a, b.slice(1, 0, 1)), 2);
  EXPECT_EQ(launches_of(bias, a.slice(1, 0, 0), b.slice(0, 0, 0)), 2);
  emulator::refuses_bias = true;
  EXPECT_EQ(launches_of(bias, a, b), 2);
}

TEST_P(ProductsWithBias, ReadABiasWhereverItLies) {
  const ScalarType type = GetParam();
  const Tensor all = randn({9}, type), a = randn({3, 5}, type), b = randn({5, 4}, type);
  const Tensor there = all.to(kOfProducts), left = a.to(kOfProducts), right = b.to(kOfProducts);
  const auto check = [&](const Tensor& here, const Tensor& bias, int launches) {
    emulator::take_counts();
    const Tensor result = addmm(bias, left, right);
    EXPECT_EQ(emulator::take_counts().launches, launches);
    EXPECT_TRUE(allclose(result.cpu().to(kFloat64), addmm(here, a, b).to(kFloat64), 3e-2, 3e-2));
  };
  check(all.slice(0, 1, 5), there.slice(0, 1, 5), 2);  // not aligned
  const Tensor wide = randn({3, 40}, type), far = wide.to(kOfProducts);
  check(wide.slice(1, 8, 12), far.slice(1, 8, 12), 1);  // aligned to 16 bytes, and a part of rows
  check(all.slice(0, 0, 8, 2), there.slice(0, 0, 8, 2), 2);  // with gaps
}

INSTANTIATE_TEST_SUITE_P(Of, ProductsWithBias,
                         ::testing::Values(kFloat64, kFloat32, kFloat16, kBFloat16),
                         [](const auto& type) { return std::string(name_of(type.param)); });

}  // namespace
}  // namespace notape::cuda
