#include "ops/cpu/blas_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "autograd/testing/expect.h"
#include "autograd/warning.h"

namespace notape {
namespace {

using blas::kCores;
using blas::Library;

/// What the library below calls its core, which cores of it multiply wrong, and which function
/// does.
std::string fake_core, wrong_cores;
int wrong_function;

bool is_wrong(int function) {
  return function == wrong_function && !fake_core.empty() &&
         (" " + wrong_cores + " ").find(" " + fake_core + " ") != std::string::npos;
}

/// The real one, except that wrong cores get one entry of a long result wrong.
Library fake() {
  Library result = blas::library();
  result.sgemm = [](auto order, auto ta, auto tb, auto m, auto n, auto... rest) {
    blas::library().sgemm(order, ta, tb, m, n, rest...);
    if (is_wrong(0) && n > 100) std::get<7>(std::tuple(rest...))[n - 2] += 1;
  };
  result.dgemm = [](auto order, auto ta, auto tb, auto m, auto n, auto... rest) {
    blas::library().dgemm(order, ta, tb, m, n, rest...);
    if (is_wrong(1) && m > 100) std::get<7>(std::tuple(rest...))[1] = 0;
  };
  result.sgemv = [](auto order, auto trans, auto... rest) {
    blas::library().sgemv(order, trans, rest...);
    if (is_wrong(2) && trans == CblasTrans) std::get<8>(std::tuple(rest...))[0] += 1;
  };
  result.dgemv = [](auto order, auto trans, auto... rest) {
    blas::library().dgemv(order, trans, rest...);
    if (is_wrong(3) && trans == CblasNoTrans) std::get<8>(std::tuple(rest...))[0] += 1;
  };
  result.get_corename = [] { return fake_core.data(); };
  return result;
}

struct Warnings : WarningHandler {
  std::string all;
  void process(const Warning& warning) override { all += warning.msg(); }
};

/// The cores that choose_core() asks for when OpenBLAS itself takes `own`.
std::string asked_for(std::size_t best, const char* own, bool is_users, bool can_change = true) {
  std::string asked;
  fake_core = own;
  blas::choose_core(best, is_users, [&](const Library&, const char* core) {
    if (core) asked += (asked.empty() ? "" : " ") + std::string(core);
    if (core && can_change) fake_core = core;
    return fake();
  });
  return asked;
}

TEST(BlasCore, IsTheBestThatTheProcessorHasAndThatMultipliesRight) {
  struct Row {
    std::size_t best;
    const char* own;
    bool is_users;
    const char *wrong, *asked;
  };
  const Row rows[] = {{0, "Prescott", false, "", "SkylakeX"},
                      {0, "Unknown", false, "", "SkylakeX"},
                      {0, "Zen", false, "", "SkylakeX"},
                      {1, "Barcelona", false, "", "Haswell"},
                      {2, "Nehalem", false, "", "Sandybridge"},
                      {3, "Core2", false, "", ""},
                      {0, "SkylakeX", false, "", ""},
                      {0, "Cooperlake", false, "", ""},
                      {0, "of a later OpenBLAS", false, "", ""},
                      {1, "Zen", false, "", ""},
                      {0, "Prescott", true, "", ""},
                      {1, "SkylakeX", true, "", "Haswell"},
                      {2, "Haswell", true, "", "Sandybridge"},
                      {3, "Cooperlake", false, "", "Nehalem"},
                      {0, "", false, "", ""},
                      {0, "Prescott", false, "SkylakeX", "SkylakeX Haswell"},
                      {0, "SkylakeX", true, "SkylakeX Haswell", "Haswell Sandybridge"},
                      {1, "Zen", false, "Zen Sandybridge", "Sandybridge Nehalem"}};
  for (const Row& row : rows)
    for (wrong_function = 0; wrong_function < 4; ++wrong_function) {
      wrong_cores = row.wrong;
      Warnings warnings;
      const WarningHandlerGuard guard(&warnings);
      EXPECT_EQ(asked_for(row.best, row.own, row.is_users), row.asked) << row.own;
      const bool runs = blas::rank_of(row.own).value_or(row.best) >= row.best;
      EXPECT_EQ(warnings.all.empty(), wrong_cores.empty() && runs)
          << row.own << ": " << warnings.all;
    }
}

TEST(BlasCore, IsRefusedWhereNoneMultipliesRightAndSaidToBeSlowWhereItCannotChange) {
  Warnings warnings;
  const WarningHandlerGuard guard(&warnings);
  wrong_function = 0;
  wrong_cores = "";
  asked_for(0, "Prescott", false, /*can_change=*/false);
  EXPECT_THAT(warnings.all, ::testing::HasSubstr("OPENBLAS_CORETYPE=SkylakeX"));
  wrong_cores = "SkylakeX Haswell Sandybridge Nehalem";
  testing::expect_error<blas::BlasMissing>("core Nehalem multiplies wrong",
                                           [] { asked_for(0, "SkylakeX", false); });
  testing::expect_error<blas::BlasMissing>("core SkylakeX multiplies wrong",
                                           [] { asked_for(0, "SkylakeX", false, false); });
  testing::expect_error<blas::BlasMissing>("core SkylakeX needs instructions",
                                           [] { asked_for(1, "SkylakeX", true, false); });
}

[[noreturn]] void open_every_core() {
  ::unsetenv("OPENBLAS_CORETYPE");
  char** const variables = environ;
  Library library = blas::open_with_core({}, nullptr);
  if (!library.handle || library.core().empty()) std::_Exit(7);  // linked, or another BLAS
  for (std::size_t i = blas::best_core(); i < kCores.size(); ++i) {
    library = blas::open_with_core(library, kCores[i]);
    if (library.core() != kCores[i] || !blas::multiplies_right(library)) std::_Exit(1);
  }
  const bool has_left = environ == variables && !std::getenv("OPENBLAS_CORETYPE");
  blas::choose_core(blas::best_core(), false, [&](const Library& before, const char* core) {
    return library =
               blas::open_with_core(before.handle ? before : library, core ? core : "Prescott");
  });
  std::_Exit(has_left && blas::rank_of(library.core()) == blas::best_core() ? 7 : 2);
}

TEST(BlasCore, CanBeEachThatTheProcessorHasWithoutATraceInTheEnvironment) {
  // In a process in which nobody has opened it yet.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(open_every_core(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace notape
