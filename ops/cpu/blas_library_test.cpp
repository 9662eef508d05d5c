#include "ops/cpu/blas_library.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "autograd/tensor/factories.h"
#include "ops/ops.h"

namespace notape {
namespace {

/// Large enough for BLAS.
Tensor product() { return matmul(ones({200, 200}), ones({200, 200})); }

[[noreturn]] void multiply_without_library() {
  ::setenv("NOTAPE_OPENBLAS", "/nowhere/libopenblas.so", 1);
  const bool small = matmul(ones({2, 2}), ones({2, 2})).sum().item<float>() == 8;
  int refusals = 0;
  for (const char* file : {"/nowhere/libopenblas.so", "libm.so.6"}) try {
      ::setenv("NOTAPE_OPENBLAS", file, 1);
      product();
    } catch (const blas::BlasMissing& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ++refusals;
    }
  ::unsetenv("NOTAPE_OPENBLAS");
  const bool found_later = product().sum().item<float>() == 8e6f;
  std::_Exit(small && refusals == 2 && found_later ? 7 : 1);
}

TEST(BlasLibrary, WithoutItSmallProductsWorkAndLargeOnesSayWhatIsMissing) {
  // In a process in which nobody has opened it yet.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply_without_library(), ::testing::ExitedWithCode(7),
              "OpenBLAS's work, and it cannot be opened: /nowhere/libopenblas.so.*NOTAPE_OPENBLAS.*"
              "libm.so.6' was opened as OpenBLAS and has no cblas_sgemm");
}

}  // namespace
}  // namespace notape
