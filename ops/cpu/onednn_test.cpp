#include "ops/cpu/onednn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ops/cpu/blas_core.h"
#include "ops/cpu/blas_description.h"
#include "ops/linalg/testing/pattern.h"
#include "ops/parallel.h"

namespace notape::testing {
namespace {

/// Of a size that is oneDNN's where it is installed: exact, since of whole numbers.
bool multiplies_right_in_every_layout() {
  const std::array<int64_t, 3> sizes[] = {{260, 257, 255}, {64, 300, 900}, {1100, 250, 64}};
  for (const auto& [n, k, m] : sizes) {
    const Tensor a = pattern({n, k}, 5, kFloat32), b = pattern({k, m}, 7, kFloat32);
    const std::vector<double> wanted = values(mm(a.to(kFloat64), b.to(kFloat64)));
    const Tensor wide = zeros({n, 5 * k});  // a large leading dimension
    const Tensor within = wide.narrow(1, 3, k);
    within.copy_(a);
    for (const Tensor& left : {a, a.t().contiguous().t(), within})
      for (const Tensor& right : {b, b.t().contiguous().t()}) {
        if (values(mm(left, right)) != wanted) return false;
        if (values(mm(right.t(), left.t()).t()) != wanted) return false;
        const Tensor sum = addmm(ones({n, m}), left, right, 2, -1);
        if (values(sum) != values(mm(left, right) * -1 + 2)) return false;
      }
  }
  return true;
}

TEST(OneDnn, MultipliesRightInEveryLayout) { EXPECT_TRUE(multiplies_right_in_every_layout()); }

TEST(OneDnn, IgnoresWhatAResultHeldAndKeepsInfinity) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Tensor a = ones({300, 300}), b = ones({300, 300}), c = full({300, 300}, kNaN);
  a.select(0, 299).select(0, 7).fill_(kInf);
  const Operation op("gemm", SourceLocation::current());
  gemm(op, {.result = matrix_of(c), .a = matrix_of(a), .b = matrix_of(b)});
  EXPECT_EQ(values(c.narrow(0, 0, 299)), std::vector<double>(299 * 300, 300));
  EXPECT_EQ(values(c.narrow(0, 299, 1)), std::vector<double>(300, kInf));
}

TEST(OneDnn, GivesTheSameBitsWithAnyNumberOfThreads) {
  if (!blas::onednn_sgemm()) GTEST_SKIP() << "no oneDNN, or no AVX-512";
  const int before = get_num_threads();
  manual_seed(2);
  const Tensor a = randn({1024, 1024}), b = randn({1024, 1024});
  for (const Tensor& left : {a, a.t().contiguous().t()})
    for (const Tensor& right : {b, b.t().contiguous().t()}) {
      std::vector<std::vector<double>> products;
      for (const int threads : {1, 2, 3, 5}) {
        set_num_threads(threads);
        products.push_back(values(mm(left, right)));
        EXPECT_EQ(products.back(), products[0]) << threads;
      }
    }
  set_num_threads(before);
}

/// In a process in which nobody has opened it yet.
[[noreturn]] void multiply_with(const char* variable, const char* value, bool has_onednn) {
  ::setenv(variable, value, 1);
  const bool right = (blas::onednn_sgemm() != nullptr) == has_onednn &&
                     multiplies_right_in_every_layout() &&
                     (blas::description().find("oneDNN") != std::string::npos) == has_onednn;
  std::_Exit(right ? 7 : 1);
}

TEST(OneDnn, MultipliesRightWithTheInstructionsOfEachProcessorAndCanBeTurnedOff) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply_with("NOTAPE_ONEDNN", "off", false), ::testing::ExitedWithCode(7), "");
  if (!blas::onednn_sgemm()) GTEST_SKIP() << "no oneDNN, or no AVX-512";
  for (const char* isa : {"SSE41", "AVX", "AVX2", "AVX512_CORE", "AVX512_CORE_VNNI",
                          "AVX512_CORE_BF16", "AVX512_CORE_AMX"})
    EXPECT_EXIT(multiply_with("ONEDNN_MAX_CPU_ISA", isa, true), ::testing::ExitedWithCode(7), "")
        << isa;
}

[[noreturn]] void name_no_onednn() {
  for (const char* file : {"/nowhere/libdnnl.so", "libm.so.6"}) try {
      ::setenv("NOTAPE_ONEDNN", file, 1);
      if (blas::best_core() == 0) mm(ones({300, 300}), ones({300, 300}));
    } catch (const blas::BlasMissing& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  std::_Exit(7);
}

TEST(OneDnn, WhoseFileIsMissingIsAnError) {
  if (blas::best_core() != 0) GTEST_SKIP() << "no AVX-512";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(name_no_onednn(), ::testing::ExitedWithCode(7),
              "NOTAPE_ONEDNN names '/nowhere/libdnnl.so', which cannot be opened.*"
              "NOTAPE_ONEDNN names 'libm.so.6'");
}

}  // namespace
}  // namespace notape::testing
