#include "ops/cpu/packed_gemm.h"

#include <algorithm>

#include "ops/core/allocate.h"

namespace notape {
namespace {

int64_t pieces(int64_t number, int64_t size) { return (number + size - 1) / size; }

struct Scales {
  float alpha, beta;
};

/// Elements of the result's row, which are `step` apart: alpha sum + beta old, rounded once.
template <typename T>
[[gnu::always_inline]] inline void finish_row(T* to, int64_t step, const float* sums,
                                              int64_t columns, Scales by) {
  if (by.beta == 0)
    for (int64_t j = 0; j < columns; ++j) to[j * step] = static_cast<T>(by.alpha * sums[j]);
  else
    for (int64_t j = 0; j < columns; ++j)
      to[j * step] =
          static_cast<T>(by.alpha * sums[j] + by.beta * static_cast<float>(to[j * step]));
}

template <typename T>
void finish(const Matrix& result, int64_t row, int64_t column, const float* sums, int64_t row_sums,
            int64_t rows, int64_t columns, Scales by) {
  detail::run_wide<float>([&] {
    for (int64_t i = 0; i < rows; ++i) {
      T* const to = static_cast<T*>(result.data) + (row + i) * result.row_stride +
                    column * result.column_stride;
      if (result.column_stride == 1)
        finish_row(to, 1, sums + i * row_sums, columns, by);
      else
        finish_row(to, result.column_stride, sums + i * row_sums, columns, by);
    }
  });
}

template <typename T>
void multiply_lines(const PanelKernel<T>& kernel, const Matrix& result, const Lines<T>& a,
                    const Lines<T>& b, Scales by) {
  // A panel of so many words stays in the nearest cache, a block's rows and columns in the next.
  constexpr int64_t kWords = 256, kBlockRows = 192, kBlockColumns = 1024, kSlack = 32;
  const int64_t all = pieces(a.terms, kernel.terms_per_word * kernel.word_step) * kernel.word_step;
  const int64_t parts = std::max<int64_t>(1, pieces(all, kWords));
  const int64_t most = pieces(pieces(all, parts), kernel.word_step) * kernel.word_step;
  const int64_t tiles_down = pieces(a.count, kernel.rows), tile = kernel.rows * kernel.columns;
  const auto words_of = [&](int64_t lines) {
    return allocate(IntArrayRef({(lines + kSlack) * (most + kSlack)}), kFloat32, kCPU);
  };
  const Tensor left = words_of(std::min(kBlockRows, a.count));
  const Tensor right = words_of(std::min(kBlockColumns, b.count));
  const int64_t tiles_across = pieces(std::min(kBlockColumns, b.count), kernel.columns);
  const Tensor sums =
      allocate(IntArrayRef({parts > 1 ? tiles_down * tiles_across * tile : tile}), kFloat32, kCPU);
  auto* const left_words = static_cast<uint32_t*>(left.impl().data());
  auto* const right_words = static_cast<uint32_t*>(right.impl().data());
  if (kernel.begin) kernel.begin();
  for (int64_t block = 0; block < b.count; block += kBlockColumns)
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t word = part * most, words = std::min(most, all - word);
      const int64_t term = word * kernel.terms_per_word;
      const int64_t columns = std::min(kBlockColumns, b.count - block);
      for (int64_t j = 0; j < columns; j += kernel.columns)
        kernel.pack_right(right_words + j * words, words, b.from(block + j, term));
      for (int64_t row = 0; row < a.count; row += kBlockRows) {
        const int64_t rows = std::min(kBlockRows, a.count - row);
        for (int64_t i = 0; i < rows; i += kernel.rows)
          kernel.pack_left(left_words + i * words, words, a.from(row + i, term));
        for (int64_t j = 0; j < columns; j += kernel.columns)
          for (int64_t i = 0; i < rows; i += kernel.rows) {
            float* to = sums.impl().data_as<float>();
            if (parts > 1) to += (j / kernel.columns * tiles_down + (row + i) / kernel.rows) * tile;
            kernel.multiply(words, left_words + i * words, right_words + j * words, to, part > 0);
            if (part + 1 < parts) continue;
            finish<T>(result, row + i, block + j, to, kernel.columns,
                      std::min(kernel.rows, rows - i), std::min(kernel.columns, columns - j), by);
          }
      }
    }
  if (kernel.end) kernel.end();
}

}  // namespace

template <typename T>
void packed_gemm(const PanelKernel<T>& kernel, const Matrix& result, const Matrix& a,
                 const Matrix& b, float alpha, float beta) {
  multiply_lines<T>(
      kernel, result,
      {static_cast<const T*>(a.data), a.row_stride, a.column_stride, a.rows, a.columns},
      {static_cast<const T*>(b.data), b.column_stride, b.row_stride, b.columns, b.rows},
      {alpha, beta});
}
template void packed_gemm(const PanelKernel<Half>&, const Matrix&, const Matrix&, const Matrix&,
                          float, float);
template void packed_gemm(const PanelKernel<BFloat16>&, const Matrix&, const Matrix&, const Matrix&,
                          float, float);

}  // namespace notape
