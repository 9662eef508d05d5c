// Resampling on the CPU: sums in double, a block of neighbours at a time.
#include "ops/resample/resample.h"

#include <algorithm>

#include "ops/core/wrapping.h"
#include "ops/parallel.h"

namespace notape {
namespace {

/// A sum of T: in double, or of integers wrapping around.
template <typename T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, double, Wrapping<T>>;

/// What rows of a matrix have in common.
struct Pattern {
  bool has_one_each = true, picks = true;  // a source in every row; one of weight 1
  // Rows [begin, end) are windows of `width` neighbours with one weight, `step` apart.
  int64_t begin = 0, end = 0, width = 0, step = 0;
  double weight = 0;

  explicit Pattern(const SparseRows& matrix);
};

Pattern::Pattern(const SparseRows& matrix) {
  const int64_t rows = matrix.rows();
  const int64_t *sources = matrix.sources.data(), *starts = matrix.starts.data();
  const double* weights = matrix.weights.data();
  for (int64_t row = 0; row < rows; ++row) has_one_each &= starts[row + 1] - starts[row] == 1;
  picks = has_one_each && std::all_of(matrix.weights.begin(), matrix.weights.end(),
                                      [](double one) { return one == 1; });
  // From the middle on both ways: the rows of an edge are others.
  const int64_t middle = rows / 2, next = std::min(middle + 1, rows - 1);
  begin = end = middle;
  if (next == middle || starts[middle + 1] == starts[middle] || starts[next + 1] == starts[next])
    return;
  width = starts[middle + 1] - starts[middle];
  step = sources[starts[next]] - sources[starts[middle]];
  weight = weights[starts[middle]];
  const auto follows = [&](int64_t row) {
    if (starts[row + 1] - starts[row] != width) return false;
    const int64_t first = sources[starts[middle]] + (row - middle) * step;
    for (int64_t k = 0; k < width; ++k)
      if (sources[starts[row] + k] != first + k || weights[starts[row] + k] != weight) return false;
    return true;
  };
  while (end < rows && follows(end)) ++end;
  while (begin > 0 && follows(begin - 1)) --begin;
}

/// result (count) = weight times the sums of windows of kWidth neighbours, kStep apart.
template <int kWidth, int kStep, typename T>
void sum_windows(const T* x, T* result, int64_t count, double weight) {
  for (int64_t i = 0; i < count; ++i) {
    SumOf<T> sum = 0;
    for (int k = 0; k < kWidth; ++k)
      sum += static_cast<SumOf<T>>(weight) * static_cast<SumOf<T>>(x[i * kStep + k]);
    result[i] = static_cast<T>(sum);
  }
}

/// Whether such windows are common enough to have a loop of their own, which has run.
template <typename T>
bool sum_common_windows(const T* x, T* result, int64_t count, const Pattern& p) {
  if (p.width == 2 && p.step == 2)
    sum_windows<2, 2>(x, result, count, p.weight);
  else if (p.width == 3 && p.step == 2)
    sum_windows<3, 2>(x, result, count, p.weight);
  else if (p.width == 3 && p.step == 1)
    sum_windows<3, 1>(x, result, count, p.weight);
  else
    return false;
  return true;
}

/// result (rows) of x (columns): neighbours are of one slice.
template <typename T>
void sum_slice(const T* x, T* result, const SparseRows& matrix, const Pattern& pattern) {
  const int64_t rows = matrix.rows();
  const int64_t *sources = matrix.sources.data(), *starts = matrix.starts.data();
  const double* weights = matrix.weights.data();
  if (pattern.picks) {
    for (int64_t row = 0; row < rows; ++row) result[row] = x[sources[row]];
    return;
  }
  if (pattern.has_one_each) {
    for (int64_t row = 0; row < rows; ++row)
      result[row] = static_cast<T>(0 + static_cast<SumOf<T>>(weights[row]) *
                                           static_cast<SumOf<T>>(x[sources[row]]));
    return;
  }
  const auto sum_each = [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      SumOf<T> sum = 0;
      for (int64_t k = starts[row]; k < starts[row + 1]; ++k)
        sum += static_cast<SumOf<T>>(weights[k]) * static_cast<SumOf<T>>(x[sources[k]]);
      result[row] = static_cast<T>(sum);
    }
  };
  int64_t done = 0;
  if (pattern.begin < pattern.end) {
    const T* from = x + sources[starts[pattern.begin]];
    if (sum_common_windows(from, result + pattern.begin, pattern.end - pattern.begin, pattern)) {
      sum_each(0, pattern.begin);
      done = pattern.end;
    }
  }
  sum_each(done, rows);
}

/// result (inner) = the weighted sum of the sources of one row, which lie `inner` apart in x.
template <typename T>
void sum_sources(const T* x, T* result, const SparseRows& matrix, int64_t row, int64_t inner) {
  const int64_t first = matrix.starts[static_cast<std::size_t>(row)];
  const int64_t last = matrix.starts[static_cast<std::size_t>(row) + 1];
  const int64_t* sources = matrix.sources.data();
  const double* weights = matrix.weights.data();
  if (last - first == 1 && weights[first] == 1) {
    std::copy_n(x + sources[first] * inner, inner, result);
    return;
  }
  constexpr int64_t kBlock = 64;
  for (int64_t start = 0; start < inner; start += kBlock) {
    const int64_t width = std::min(kBlock, inner - start);
    SumOf<T> sums[kBlock];
    std::fill_n(sums, width, SumOf<T>(0));
    for (int64_t k = first; k < last; ++k) {
      const T* from = x + sources[k] * inner + start;
      const auto weight = static_cast<SumOf<T>>(weights[k]);
      for (int64_t n = 0; n < width; ++n) sums[n] += weight * static_cast<SumOf<T>>(from[n]);
    }
    for (int64_t n = 0; n < width; ++n) result[start + n] = static_cast<T>(sums[n]);
  }
}

void resample(const Operation& op, const Tensor& result, const Tensor& x, const SparseRows& matrix,
              int64_t inner) {
  if (x.dtype() == kBool) no_kernel(op, x.dtype(), x.device());
  const int64_t rows = matrix.rows(), from = matrix.columns * inner, to = rows * inner;
  if (to == 0) return;
  const Pattern pattern(matrix);
  const int64_t terms = static_cast<int64_t>(matrix.sources.size()) * inner + to;
  visit_computed(x.dtype(), [&]<typename T>() {
    const T* source = x.impl().data_as<T>();
    T* target = result.impl().data_as<T>();
    parallel_for(0, result.numel() / to, std::max<int64_t>(kParallelGrain / terms, 1),
                 [&](int64_t first, int64_t last) {
                   for (int64_t o = first; o < last; ++o)
                     if (inner == 1)
                       sum_slice(source + o * from, target + o * to, matrix, pattern);
                     else
                       for (int64_t row = 0; row < rows; ++row)
                         sum_sources(source + o * from, target + o * to + row * inner, matrix, row,
                                     inner);
                 });
  });
}

}  // namespace

constinit ResampleKernel resample_kernel(resample);

}  // namespace notape
