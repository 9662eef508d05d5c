#include "ops/cpu/blas_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "autograd/warning.h"
#include "ops/cpu/lanes.h"

namespace notape::blas {

std::size_t best_core() {
#ifdef __x86_64__
  if (float_lanes() == 16) return 0;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
  if (__builtin_cpu_supports("avx")) return 2;
#endif
  return kCores.size() - 1;
}

std::optional<std::size_t> rank_of(std::string_view core) {
  static constexpr std::array<std::string_view, kCores.size()> kNames = {
      " SkylakeX Cooperlake SapphireRapids ", " Haswell Zen Excavator ",
      " Sandybridge Bulldozer Piledriver Steamroller ",
      " Unknown Katmai Coppermine Northwood Prescott Banias Atom Core2 Penryn Dunnington Nehalem "
      "Athlon Opteron Opteron_SSE3 Barcelona Bobcat Nano "};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i].find(fmt::format(" {} ", core)) != std::string_view::npos) return i;
  return {};
}

Library choose_core(std::size_t best, bool is_users, const OpenCore& open) {
  Library library = open({}, nullptr);
  const std::string own = library.core();
  const std::size_t rank = rank_of(own).value_or(best);
  if (rank < best || (rank > best && !is_users)) {
    library = open(library, kCores[best]);
    const bool has_changed = library.core() != own;
    if (rank < best && !has_changed)
      throw BlasMissing(
          "OpenBLAS's core {} needs instructions that this processor lacks, and no "
          "other can be taken; name the file of another OpenBLAS in NOTAPE_OPENBLAS",
          own);
    if (rank < best)
      warn(fmt::format(
               "OpenBLAS's core {} needs instructions that this processor lacks or NOTAPE_ISA "
               "rules out; its core {} is used",
               own, library.core()),
           SourceLocation::current());
    else if (!has_changed)
      warn(fmt::format("OpenBLAS has taken its core {}, which leaves instructions of this "
                       "processor unused, and cannot be opened with another; with "
                       "OPENBLAS_CORETYPE={} in the environment products will be faster",
                       own, kCores[best]),
           SourceLocation::current());
  }
  while (!multiplies_right(library)) {
    const std::string wrong = library.core();
    const std::size_t next = rank_of(wrong).value_or(0) + 1;
    if (next < kCores.size()) library = open(library, kCores[next]);
    if (library.core() == wrong)
      throw BlasMissing(
          "OpenBLAS's core {} multiplies wrong on this processor, and no other can be taken; "
          "install a newer OpenBLAS, or name its file in NOTAPE_OPENBLAS",
          wrong);
    warn(fmt::format("OpenBLAS's core {} multiplies wrong on this processor; its core {} is used",
                     wrong, library.core()),
         SourceLocation::current());
  }
  return library;
}

namespace {

/// A row-major matrix of small whole numbers, whose sums of products any type and order gives
/// exactly. Rows lie further apart than they are long.
template <typename T>
struct Numbers {
  Numbers(int high, int wide, uint32_t seed)
      : rows(high), columns(wide), elements(static_cast<std::size_t>(rows * stride())) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const uint32_t mixed = (static_cast<uint32_t>(i) + seed) * 2654435761;  // Knuth's
      elements[i] = static_cast<T>(static_cast<int>(mixed >> 30) - 1);
    }
  }
  int stride() const { return columns + 3; }
  /// The matrix, or its transpose, by a column.
  std::vector<double> times(const std::vector<double>& column, bool transposed) const {
    std::vector<double> result(static_cast<std::size_t>(transposed ? columns : rows));
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
      const T* row = &elements[i * static_cast<std::size_t>(stride())];
      if (transposed)
        for (std::size_t j = 0; j < result.size(); ++j) result[j] += row[j] * column[i];
      else
        result[i] = std::transform_reduce(row, row + columns, column.begin(), 0.0);
    }
    return result;
  }

  int rows, columns;
  std::vector<T> elements;
};

std::vector<double> distinct(int count) {
  std::vector<double> result;
  for (int i = 0; i < count; ++i) result.push_back(1 + i * 37 % 1009);
  return result;
}

CBLAS_TRANSPOSE transposition(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

/// C x = alpha A (B x) + beta C_0 x, which takes far less time than the product itself.
template <typename T, typename Gemm>
bool product_is_right(Gemm gemm, int m, int n, int k, bool left, bool right, int alpha, int beta) {
  const Numbers<T> a(left ? k : m, left ? m : k, 1), b(right ? n : k, right ? k : n, 2);
  Numbers<T> c(m, n, 3);
  const std::vector<double> x = distinct(n), before = c.times(x, false);
  if (beta == 0)  // what is there counts for nothing
    std::fill(c.elements.begin(), c.elements.end(), std::numeric_limits<T>::quiet_NaN());
  gemm(CblasRowMajor, transposition(left), transposition(right), m, n, k, static_cast<T>(alpha),
       a.elements.data(), a.stride(), b.elements.data(), b.stride(), static_cast<T>(beta),
       c.elements.data(), c.stride());
  std::vector<double> wanted = a.times(b.times(x, right), left);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = alpha * wanted[i] + beta * before[i];
  return c.times(x, false) == wanted;
}

/// y = alpha A x + beta y, every other element of x and y.
template <typename T, typename Gemv>
bool column_is_right(Gemv gemv, int m, int n, bool transposed) {
  const Numbers<T> a(m, n, 4);
  const std::vector<double> x = distinct(transposed ? m : n);
  std::vector<double> wanted = a.times(x, transposed), found;
  std::vector<T> given(2 * x.size()), result(2 * wanted.size(), T(5));
  for (std::size_t i = 0; i < x.size(); ++i) given[2 * i] = static_cast<T>(x[i]);
  gemv(CblasRowMajor, transposition(transposed), m, n, T(2), a.elements.data(), a.stride(),
       given.data(), 2, T(-1), result.data(), 2);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = 2 * wanted[i] - 5;
    found.push_back(static_cast<double>(result[2 * i]));
  }
  return found == wanted;
}

template <typename T, typename Gemm>
bool products_are_right(Gemm gemm) {
  // Beyond 100^3 OpenBLAS has other loops; further on its kernels' blocks end.
  return product_is_right<T>(gemm, 103, 97, 105, false, false, 1, 0) &&
         product_is_right<T>(gemm, 97, 105, 103, true, true, 2, -1) &&
         product_is_right<T>(gemm, 37, 41, 67, false, true, 1, 0) &&
         product_is_right<T>(gemm, 41, 37, 63, true, false, -1, 1) &&
         product_is_right<T>(gemm, 17, 33, 9, false, false, 2, 1) &&
         product_is_right<T>(gemm, 19, 5, 401, false, true, 1, 1) &&
         product_is_right<T>(gemm, 803, 7, 13, true, false, 1, 0) &&
         product_is_right<T>(gemm, 3, 803, 15, false, false, 1, 0);
}
template <typename T, typename Gemv>
bool columns_are_right(Gemv gemv) {
  return column_is_right<T>(gemv, 67, 131, false) && column_is_right<T>(gemv, 131, 67, true);
}

}  // namespace

bool multiplies_right(FloatGemm sgemm) { return products_are_right<float>(sgemm); }

bool multiplies_right(const Library& library) {
  const bool counts = library.get_num_threads && library.set_num_threads;
  const int threads = counts ? library.get_num_threads() : 1;
  if (threads > 1) library.set_num_threads(1);  // its own are slow to wake
  const bool right =
      products_are_right<float>(library.sgemm) && columns_are_right<float>(library.sgemv) &&
      products_are_right<double>(library.dgemm) && columns_are_right<double>(library.dgemv);
  if (threads > 1) library.set_num_threads(threads);
  return right;
}

}  // namespace notape::blas
