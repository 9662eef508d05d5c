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

/// Lines in panels, some terms at a time.
template <typename T>
class Panels {
 public:
  Panels(const PanelKernel<T>& kernel, int64_t terms, int64_t most_lines, int64_t width,
         typename PanelKernel<T>::Pack pack)
      : kernel_(kernel), width_(width), pack_(pack) {
    constexpr int64_t kNearest = 256;  // words of a line, of which panels stay in that cache
    const int64_t step = kernel.word_step;
    words_ = pieces(terms, kernel.terms_per_word * step) * step;
    parts_ = std::max<int64_t>(1, pieces(words_, kNearest));
    words_per_part_ = pieces(pieces(words_, parts_), step) * step;
    lines_ = pieces(most_lines, width) * width;
    constexpr int64_t kSlack = 32 * 32;  // packing writes whole vectors
    words_in_memory_ = allocate(IntArrayRef({lines_ * words_ + kSlack}), kFloat32, kCPU);
  }
  int64_t parts() const { return parts_; }
  int64_t words_of(int64_t part) const {
    return std::min(words_per_part_, words_ - part * words_per_part_);
  }
  uint32_t* of(int64_t part, int64_t line) const {
    return static_cast<uint32_t*>(words_in_memory_.impl().data()) +
           part * words_per_part_ * lines_ + line * words_of(part);
  }
  void pack(const Lines<T>& from, int64_t count) const {
    for (int64_t part = 0; part < parts_; ++part)
      for (int64_t line = 0; line < count; line += width_)
        pack_(of(part, line), words_of(part),
              from.from(line, part * words_per_part_ * kernel_.terms_per_word));
  }

 private:
  const PanelKernel<T>& kernel_;
  int64_t width_, words_, parts_, words_per_part_, lines_;
  typename PanelKernel<T>::Pack pack_;
  Tensor words_in_memory_;
};

template <typename T>
void multiply_lines(const PanelKernel<T>& kernel, const Matrix& result, const Lines<T>& a,
                    const Lines<T>& b, Scales by) {
  constexpr int64_t kRows = 192, kColumns = 256;  // of a block, which stays in the second cache
  const Panels<T> left(kernel, a.terms, a.count, kernel.rows, kernel.pack_left);
  const Panels<T> right(kernel, b.terms, std::min(kColumns, b.count), kernel.columns,
                        kernel.pack_right);
  alignas(64) float sums[kRows * kColumns];
  if (kernel.begin) kernel.begin();
  left.pack(a, a.count);
  for (int64_t column = 0; column < b.count; column += kColumns) {
    const int64_t columns = std::min(kColumns, b.count - column);
    right.pack(b.from(column, 0), columns);
    for (int64_t row = 0; row < a.count; row += kRows)
      for (int64_t part = 0; part < left.parts(); ++part)
        for (int64_t j = 0; j < columns; j += kernel.columns)
          for (int64_t i = row; i < std::min(row + kRows, a.count); i += kernel.rows) {
            float* const tile =
                left.parts() == 1 ? sums : sums + j * kRows + (i - row) * kernel.columns;
            kernel.multiply(left.words_of(part), left.of(part, i), right.of(part, j), tile,
                            part > 0);
            if (part + 1 == left.parts())
              finish<T>(result, i, column + j, tile, kernel.columns,
                        std::min(kernel.rows, a.count - i), std::min(kernel.columns, columns - j),
                        by);
          }
  }
  if (kernel.end) kernel.end();
}

}  // namespace

template <typename T>
void packed_gemm(const PanelKernel<T>& kernel, const Matrix& result, const Matrix& a,
                 const Matrix& b, float alpha, float beta) {
  constexpr int64_t kMostRows = 1024;  // packed at a time
  const Lines<T> right{static_cast<const T*>(b.data), b.column_stride, b.row_stride, b.columns,
                       b.rows};
  for (int64_t row = 0; row < a.rows; row += kMostRows) {
    Matrix part = result;
    part.data = static_cast<T*>(result.data) + row * result.row_stride;
    const Lines<T> left{static_cast<const T*>(a.data) + row * a.row_stride, a.row_stride,
                        a.column_stride, std::min(kMostRows, a.rows - row), a.columns};
    multiply_lines<T>(kernel, part, left, right, {alpha, beta});
  }
}
template void packed_gemm(const PanelKernel<Half>&, const Matrix&, const Matrix&, const Matrix&,
                          float, float);
template void packed_gemm(const PanelKernel<BFloat16>&, const Matrix&, const Matrix&, const Matrix&,
                          float, float);

}  // namespace notape
