#include "ops/linalg/gemm.h"
#include "ops/cpu/lanes.h"

#include "ops/linalg/testing/pattern.h"
#include "ops/parallel.h"

namespace notape::testing {
namespace {

/// By the definition, in double; whole numbers stay exact.
std::vector<double> expected(const GemmCall& call, const Tensor& result, const Tensor& a,
                             const Tensor& b) {
  std::vector<double> sums = values(result);
  const std::vector<double> left = values(a), right = values(b);
  const auto n = static_cast<std::size_t>(call.result.rows);
  const auto m = static_cast<std::size_t>(call.result.columns);
  const auto k = static_cast<std::size_t>(call.a.columns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += left[i * k + p] * right[p * m + j];
      sums[i * m + j] = call.beta.to_double() * sums[i * m + j] + call.alpha.to_double() * sum;
    }
  return sums;
}

const std::vector<std::vector<int>> kOrders = {{0, 1}, {1, 0}};

void check_all_layouts(int64_t n, int64_t k, int64_t m, ScalarType dtype, int gaps_step = 1) {
  const Operation op("gemm", SourceLocation::current());
  const Tensor a = pattern({n, k}, 5, dtype), b = pattern({k, m}, 7, dtype);
  const Tensor c = pattern({n, m}, 3, dtype);
  for (const auto& a_order : kOrders)
    for (const auto& b_order : kOrders)
      for (const auto& c_order : kOrders)
        for (int gaps = 0; gaps < 8; gaps += gaps_step) {
          const Tensor left = laid_out(a, a_order, gaps & 1);
          const Tensor right = laid_out(b, b_order, gaps >> 1 & 1);
          const Tensor result = laid_out(c, c_order, gaps >> 2);
          const GemmCall call{.result = matrix_of(result),
                              .a = matrix_of(left),
                              .b = matrix_of(right),
                              .beta = gaps % 3 - 1,
                              .alpha = gaps % 2 + 1,
                              .dtype = dtype};
          const std::vector<double> sums = expected(call, result, a, b);
          gemm(op, call);
          ASSERT_EQ(values(result), sums)
              << n << "x" << k << "x" << m << " " << name_of(dtype) << " gaps " << gaps;
        }
}

TEST(Gemm, IsExactForEverySizeLayoutAndTypeOnWholeNumbers) {
  // Around every switch between loops, vectors and BLAS.
  const std::array<int64_t, 3> sizes[] = {{1, 1, 1},    {1, 37, 1},  {5, 1, 7},     {3, 4, 5},
                                          {4, 8, 17},   {8, 8, 8},   {20, 10, 1},   {1, 10, 20},
                                          {33, 21, 19}, {2, 300, 3}, {200, 190, 1}, {1, 190, 200},
                                          {0, 3, 2},    {3, 0, 2},   {2, 3, 0},     {13, 40, 64},
                                          {4, 5, 32},   {48, 33, 9}, {130, 9, 32},  {16, 7, 129}};
  for (const auto& [n, k, m] : sizes)
    for (ScalarType dtype : {kFloat64, kFloat32, kInt64, kInt32}) check_all_layouts(n, k, m, dtype);
}

TEST(Gemm, ThreadsShareLargeResults) {
  const int before = get_num_threads();
  const std::array<int64_t, 3> sizes[] = {
      {70, 60, 80}, {600, 30, 20}, {17, 200, 90}, {300, 250, 1}};
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    for (const auto& [n, k, m] : sizes) check_all_layouts(n, k, m, kFloat32);
  }
  set_num_threads(before);
}

/// To the bit with AVX-512. OpenBLAS's loops for AVX2 take the rests beside whole tiles in another
/// order, so which entries are such rests, of a part or of the transpose, shows in the last bits.
void expect_same_product(const std::vector<double>& found, const std::vector<double>& expected) {
  if (float_lanes() == 16) {
    EXPECT_EQ(found, expected);
    return;
  }
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
}

TEST(Gemm, OfMiddlingFactorsHasTheSameBitsWithAnyNumberOfThreads) {
  manual_seed(2);
  const int before = get_num_threads();
  const Tensor a = randn({301, 130}), b = randn({130, 128});
  std::vector<std::vector<double>> products;
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    products.push_back(values(mm(a, b)));
    products.push_back(values(mm(b.t(), a.t()).t()));
  }
  set_num_threads(before);
  for (const auto& product : products) expect_same_product(product, products[0]);
}

TEST(Gemm, OfFewRowsOrTermsOfALargeMatrixIsExactAndTheSameWithAnyNumberOfThreads) {
  const int before = get_num_threads();
  const std::array<int64_t, 3> sizes[] = {{2, 520, 528}, {7, 600, 449},  {32, 515, 512},
                                          {515, 3, 528}, {512, 16, 523}, {600, 550, 5}};
  for (const auto& [n, k, m] : sizes) {
    check_all_layouts(n, k, m, kFloat32, 7);  // none, and all
    manual_seed(2);
    const Tensor a = randn({n, k}), b = randn({k, m});
    const Tensor turned = b.t().contiguous().t();
    std::vector<std::vector<double>> products, of_turned;
    for (const int threads : {1, 2, 5}) {
      set_num_threads(threads);
      products.push_back(values(mm(a, b)));
      of_turned.push_back(values(mm(a, turned)));
      SCOPED_TRACE(format_message("{} x {} x {}", {n, k, m}));
      expect_same_product(products.back(), products[0]);
      expect_same_product(of_turned.back(), of_turned[0]);
    }
  }
  set_num_threads(before);
}

TEST(Gemm, TakesRepeatedRowsAndColumns) {
  const Operation op("gemm", SourceLocation::current());
  for (const auto& [n, k, m] :
       {std::array<int64_t, 3>{3, 4, 5}, {30, 40, 50}, {30, 40, 64}, {300, 200, 1}}) {
    const Tensor a = pattern({n, 1}, 5).expand({n, k}), b = pattern({1, m}, 7).expand({k, m});
    const Tensor c = zeros({n, m}, kFloat64), one = constant({{0.5}}).expand({n, k});
    const auto run = [&](const Tensor& left, const Tensor& right) {
      const GemmCall call{
          .result = matrix_of(c), .a = matrix_of(left), .b = matrix_of(right), .dtype = kFloat64};
      const std::vector<double> sums = expected({.result = call.result, .a = call.a, .b = call.b},
                                                zeros({n, m}, kFloat64), left, right);
      gemm(op, call);
      EXPECT_EQ(values(c), sums);
    };
    run(a, b);
    run(one, b);
  }
}

TEST(Gemm, RoundsNoWorseThanTheSumOfItsTerms) {
  manual_seed(1);
  for (const auto& [n, k, m] : {std::array<int64_t, 3>{6, 6, 6}, {50, 400, 60}, {1, 300, 300}}) {
    const Tensor a = randn({n, k}), b = randn({k, m});
    const std::vector<double> exact = values(mm(a.to(kFloat64), b.to(kFloat64)));
    const std::vector<double> single = values(mm(a, b));
    const double bound = 1e-6 * static_cast<double>(k);
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(single[i], exact[i], bound);
  }
}

}  // namespace
}  // namespace notape::testing
