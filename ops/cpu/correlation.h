// Convolutions of floats without unfolding. An image gets zeros around it and is split into the
// rows and columns that lie a stride apart; then each tap of the filter is a distance in it:
//   result[o][i][j] = sum over terms k of  weight[o][k] source[offset[k] + i pitch + j].
// The gradient of an image is of this kind, too: one such sum for each remainder of its rows and
// columns by the stride. An element is a sum in the order of its terms, wherever it lies.
#pragma once
#include <cstring>
#include <vector>

#include "ops/conv/conv2d.h"

namespace notape::correlation {

/// Terms that are added up before they are added to those before: long sums stay accurate.
inline constexpr int64_t kTermsAtOnce = 256;

/// One image with zeros around it: (channels, remainders of rows, of columns, rows, pitch).
struct Source {
  int64_t channels, height, width;  // of the image
  Pair stride = 1;
  int64_t top, left;  // where its first pixel stands; it is cut off where these are negative
  int64_t rows, pitch;

  int64_t plane() const { return rows * pitch; }
  int64_t channel() const { return stride[0] * stride[1] * plane(); }
  /// Vectors may be read beyond the last row.
  int64_t elements() const { return channels * channel() + 160; }
  /// Memory for one, with zeros where no image reaches: they outlast any number of place().
  Tensor cleared() const;
  /// Puts channels [first, last) of an image between the zeros.
  void place(float* to, const float* image, int64_t first, int64_t last) const;
};

/// Results that see the same taps.
struct Phase {
  std::vector<int64_t> offsets, weights;  // of each term: in the source and in a result's filter
  int64_t rows, columns;
  int64_t start, row_step, column_step;  // in the plane of results

  /// Whether all taps are three in a row.
  bool has_threes() const;
};

struct Correlation {
  Source source;
  std::vector<Phase> phases;  // together all results
  int64_t images, groups;
  int64_t results, plane;        // channels per group, elements of each
  int64_t weight_step, weights;  // in the filter, from result to result and group to group
};

/// Whether a problem is one for this: its padding bounded, its strides small.
bool takes(const Conv2dProblem& problem);
/// Whether that is faster than matrix products.
bool is_worthwhile(const Correlation& problem);

Correlation forward(const Conv2dProblem& problem);
Correlation backward_input(const Conv2dProblem& problem);

/// All operands row-major; bias, (O,) with the stride, may be null.
struct Bias {
  const float* data = nullptr;
  int64_t stride = 1;
};
void run(const Correlation& problem, float* result, const float* source, const float* filter,
         Bias bias);

/// The gradient of the filter.
void backward_weight(const Conv2dProblem& problem, float* result, const float* response,
                     const float* image);

/// Short lines without a call.
inline void copy_line(float* to, const float* from, int64_t n) {
  constexpr int64_t kBlock = 8;
  if (n < kBlock) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i + kBlock <= n; i += kBlock)
    std::memcpy(to + i, from + i, kBlock * sizeof(float));
  std::memcpy(to + n - kBlock, from + n - kBlock, kBlock * sizeof(float));
}

/// Whether channels fill vectors; else those are of neighbouring positions.
inline bool fill_lanes(int64_t channels) {
  const int64_t padded = (channels + 15) / 16 * 16;
  return 4 * channels >= 3 * padded;
}

}  // namespace notape::correlation
