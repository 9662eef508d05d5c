#include "ops/cpu/packed_gemm.h"

#include <gtest/gtest.h>

#include <limits>

#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

/// Calls f(kernel) with each that this processor has.
template <typename F>
void with_every_kernel(const F& f) {
  for (const auto& kernel : panel_kernels<Half>()) f(kernel);
  for (const auto& kernel : panel_kernels<BFloat16>()) f(kernel);
}
template <typename T>
constexpr ScalarType type_of(const PanelKernel<T>&) {
  return scalar_type_of<T>;
}

/// alpha a b + beta c in double, of whole numbers that float16 and bfloat16 hold.
std::vector<double> by_definition(const Tensor& c, const Tensor& a, const Tensor& b, double alpha,
                                  double beta) {
  const Tensor product = mm(a.to(kFloat64), b.to(kFloat64)) * alpha;
  return values((product + c.to(kFloat64) * beta).to(c.dtype()));
}

TEST(PackedGemm, OfEveryKernelIsExactForEverySizeAndLayoutOnWholeNumbers) {
  const std::array<int64_t, 3> sizes[] = {{1, 1, 1},    {3, 5, 2},     {12, 16, 32}, {13, 17, 33},
                                          {32, 32, 32}, {33, 65, 70},  {6, 31, 16},  {200, 37, 50},
                                          {5, 0, 4},    {40, 2100, 3}, {7, 3, 1030}};
  with_every_kernel([&](const auto& kernel) {
    const ScalarType dtype = type_of(kernel);
    for (const auto& [n, k, m] : sizes)
      for (int layout = 0; layout < 16; ++layout) {
        const auto lay = [&](const Tensor& x, int bit) {
          const bool turned = layout >> bit & 1;
          return laid_out(x, turned ? std::vector<int>{1, 0} : std::vector<int>{0, 1},
                          layout >> 3 & 1);
        };
        const Tensor a = lay(pattern({n, k}, 5, dtype), 0), b = lay(pattern({k, m}, 7, dtype), 1);
        const Tensor c = lay(pattern({n, m}, 3, dtype), 2);
        const float alpha = layout % 3 == 0 ? 1.0f : -0.5f, beta = layout % 2 == 0 ? 0.0f : 2.0f;
        const std::vector<double> wanted = by_definition(c, a, b, alpha, beta);
        packed_gemm(kernel, matrix_of(c), matrix_of(a), matrix_of(b), alpha, beta);
        ASSERT_EQ(values(c), wanted) << kernel.name << " " << name_of(dtype) << " " << n << "x" << k
                                     << "x" << m << " layout " << layout;
      }
  });
}

TEST(PackedGemm, RoundsOnceAtTheEnd) {
  with_every_kernel([](const auto& kernel) {
    const ScalarType dtype = type_of(kernel);
    manual_seed(3);
    for (const int64_t k : {300, 3000}) {
      const Tensor a = randn({40, k}).to(dtype), b = randn({k, 50}).to(dtype);
      const Tensor c = empty({40, 50}, dtype);
      packed_gemm(kernel, matrix_of(c), matrix_of(a), matrix_of(b), 1, 0);
      const std::vector<double> exact = values(mm(a.to(kFloat64), b.to(kFloat64)));
      const std::vector<double> found = values(c);
      const double half_a_unit = dtype == kHalf ? 0x1p-11 : 0x1p-8;
      for (std::size_t i = 0; i < exact.size(); ++i)
        ASSERT_NEAR(found[i], exact[i],
                    half_a_unit * std::abs(exact[i]) + 1e-6 * static_cast<double>(k))
            << kernel.name;
    }
  });
}

TEST(PackedGemm, KeepsInfinityAndNaNWhereTheyBelong) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  with_every_kernel([&](const auto& kernel) {
    const ScalarType dtype = type_of(kernel);
    const Tensor a = ones({13, 35}, dtype), b = ones({35, 33}, dtype);
    const Tensor c = full({13, 33}, kNaN, dtype);
    a.select(0, 12).select(0, 34).fill_(kInf);
    b.select(0, 0).select(0, 32).fill_(kNaN);
    packed_gemm(kernel, matrix_of(c), matrix_of(a), matrix_of(b), 1, 0);
    for (int64_t i = 0; i < 13; ++i)
      for (int64_t j = 0; j < 33; ++j) {
        const double found = c.select(0, i).select(0, j).item<double>();
        if (j == 32)
          ASSERT_TRUE(std::isnan(found)) << kernel.name << " " << i;
        else
          ASSERT_EQ(found, i == 12 ? kInf : 35) << kernel.name << " " << i << " " << j;
      }
  });
}

TEST(PackedGemm, OfAPartHasTheBitsOfTheWhole) {
  with_every_kernel([](const auto& kernel) {
    const ScalarType dtype = type_of(kernel);
    manual_seed(4);
    const Tensor a = randn({90, 333}).to(dtype), b = randn({333, 77}).to(dtype);
    const Tensor whole = empty({90, 77}, dtype), part = empty({31, 40}, dtype);
    packed_gemm(kernel, matrix_of(whole), matrix_of(a), matrix_of(b), 1, 0);
    packed_gemm(kernel, matrix_of(part), matrix_of(a.narrow(0, 50, 31)),
                matrix_of(b.narrow(1, 37, 40)), 1, 0);
    EXPECT_EQ(values(part), values(whole.narrow(0, 50, 31).narrow(1, 37, 40))) << kernel.name;
  });
}

}  // namespace
}  // namespace notape::testing
