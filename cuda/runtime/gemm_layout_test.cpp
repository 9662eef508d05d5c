#include "cuda/runtime/gemm_layout.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "ops/elementwise/run_on_cpu.h"

namespace notape::cuda {
namespace {

/// What cuBLAS does with such a call, by its documentation.
void reference_product(const ColumnMajorProduct& p, int64_t batch) {
  const auto at = [](const ColumnMajor& m, int64_t b, int64_t i, int64_t j) -> double& {
    if (m.is_transposed) std::swap(i, j);
    return static_cast<double*>(m.data)[b * m.batch_stride + j * m.leading + i];
  };
  EXPECT_FALSE(p.c.is_transposed);
  EXPECT_GE(p.a.leading, std::max<int64_t>(p.a.is_transposed ? p.k : p.m, 1));
  EXPECT_GE(p.b.leading, std::max<int64_t>(p.b.is_transposed ? p.n : p.k, 1));
  EXPECT_GE(p.c.leading, std::max<int64_t>(p.m, 1));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k) sum += at(p.a, b, i, k) * at(p.b, b, k, j);
        at(p.c, b, i, j) = sum;
      }
}

double& element(const Matrix& m, int64_t batch, int64_t i, int64_t j) {
  return static_cast<double*>(
      m.data)[batch * m.batch_stride + i * m.row_stride + j * m.column_stride];
}

/// A matrix with rows or columns dense, both, or neither, over memory of its own.
Matrix draw_matrix(std::mt19937& random, int64_t batch, int64_t rows, int64_t columns,
                   std::vector<double>& memory, bool dense) {
  const int64_t gap = static_cast<int64_t>(random() % 3), step = dense ? 1 : 2;
  const bool by_rows = random() % 2 == 0;
  Matrix m{nullptr, rows, columns, step, step};
  (by_rows ? m.row_stride : m.column_stride) = (by_rows ? columns : rows) * step + gap;
  m.batch_stride = std::max(m.row_stride, m.column_stride) * std::max(rows, columns) + gap;
  memory.resize(static_cast<std::size_t>(m.batch_stride * batch + 1));
  std::iota(memory.begin(), memory.end(), static_cast<double>(random() % 7));
  m.data = memory.data();
  return m;
}

TEST(GemmLayout, SaysProductsOfAnyDenseLayout) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const int64_t n = 1 + static_cast<int64_t>(random() % 4),
                  m = 1 + static_cast<int64_t>(random() % 4),
                  k = static_cast<int64_t>(random() % 4),
                  batch = 1 + static_cast<int64_t>(random() % 3);
    std::vector<double> a_memory, b_memory, c_memory;
    Matrix a = draw_matrix(random, batch, n, k, a_memory, true);
    const Matrix b = draw_matrix(random, batch, k, m, b_memory, true),
                 c = draw_matrix(random, batch, n, m, c_memory, true);
    if (random() % 4 == 0) a.batch_stride = 0;
    for (const Matrix& matrix : {a, b, c}) ASSERT_TRUE(is_column_major(matrix));
    reference_product(column_major_product(c, a, b), batch);
    for (int64_t x = 0; x < batch; ++x)
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j) {
          double sum = 0;
          for (int64_t l = 0; l < k; ++l) sum += element(a, x, i, l) * element(b, x, l, j);
          ASSERT_EQ(element(c, x, i, j), sum) << trial;
        }
  }
}

TEST(GemmLayout, KnowsWhatHasToBeCopied) {
  EXPECT_TRUE(is_column_major({nullptr, 3, 4, 4, 1}));
  EXPECT_TRUE(is_column_major({nullptr, 3, 4, 1, 3}));
  EXPECT_TRUE(is_column_major({nullptr, 1, 4, 9, 5}));
  EXPECT_FALSE(is_column_major({nullptr, 3, 4, 8, 2}));
  EXPECT_FALSE(is_column_major({nullptr, 3, 4, 0, 1}));  // one row, repeated
  EXPECT_FALSE(is_column_major({nullptr, 3, 4, 0, 0}));
}

void copy_doubles(char* const* data, const int64_t* strides, int64_t n, const void*) {
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<double*>(data[0] + i * strides[0]) =
        *reinterpret_cast<const double*>(data[1] + i * strides[1]);
}

TEST(GemmLayout, CopiesBatchesOfMatrices) {
  std::mt19937 random(2);
  std::vector<double> from_memory, to_memory;
  const Matrix from = draw_matrix(random, 3, 4, 5, from_memory, false),
               to = draw_matrix(random, 3, 4, 5, to_memory, true);
  run_on_cpu(copy_doubles, copy_plan(to, from, 3, sizeof(double)), nullptr);
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 5; ++j) EXPECT_EQ(element(to, b, i, j), element(from, b, i, j));
}

}  // namespace
}  // namespace notape::cuda
