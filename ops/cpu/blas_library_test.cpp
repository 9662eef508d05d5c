#include "ops/cpu/blas_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "autograd/tensor/factories.h"
#include "ops/cpu/blas_description.h"
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

TEST(BlasLibrary, IsWhatTheUserNamesElsePyPIsBesideNotapeElseTheSystems) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "with_blas";
  const std::filesystem::path package = folder / "scipy_openblas32/lib", here = folder / "notape";
  std::filesystem::create_directories(package);
  std::filesystem::create_directories(here);
  const char* users = std::getenv("NOTAPE_OPENBLAS");
  const std::string before = users ? users : "";
  ::unsetenv("NOTAPE_OPENBLAS");
  const std::size_t systems = blas::files_to_open(here / "libnotape.so").size();
  if (systems == 0) GTEST_SKIP() << "a static OpenBLAS is linked";
  std::ofstream(package / "libscipy_openblas.so");
  EXPECT_EQ(blas::files_to_open(here / "libnotape.so").size(), systems + 1);
  std::ofstream(here / "libscipy_openblas.so");
  EXPECT_EQ(blas::files_to_open(here / "libnotape.so").front(), here / "libscipy_openblas.so");
  EXPECT_EQ(blas::files_to_open(here / "libnotape.so").size(), systems + 2);
  ::setenv("NOTAPE_OPENBLAS", "mine.so", 1);
  EXPECT_THAT(blas::files_to_open(here / "libnotape.so"), ::testing::ElementsAre("mine.so"));
  before.empty() ? ::unsetenv("NOTAPE_OPENBLAS") : ::setenv("NOTAPE_OPENBLAS", before.c_str(), 1);
  std::filesystem::remove_all(folder);
}

[[noreturn]] void multiply_with_renamed() {
  const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  ::setenv("NOTAPE_OPENBLAS", (bin / "../lib/librenamed_blas.so").c_str(), 1);
  const bool right = product().sum().item<float>() == 8e6f;
  std::_Exit(right && blas::description().starts_with("another BLAS") ? 7 : 1);
}

TEST(BlasLibrary, MayHaveTheNamesOfPyPIs) {
  if (blas::files_to_open({}).empty()) GTEST_SKIP() << "a static OpenBLAS is linked";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply_with_renamed(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace notape
