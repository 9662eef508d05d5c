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

/// result (rows) of x (columns): neighbours are of one slice.
template <typename T>
void sum_slice(const T* x, T* result, const SparseRows& matrix, bool picks) {
  const int64_t rows = matrix.rows();
  const int64_t *sources = matrix.sources.data(), *starts = matrix.starts.data();
  const double* weights = matrix.weights.data();
  if (picks) {
    for (int64_t row = 0; row < rows; ++row) result[row] = x[sources[row]];
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    SumOf<T> sum = 0;
    for (int64_t k = starts[row]; k < starts[row + 1]; ++k)
      sum += static_cast<SumOf<T>>(weights[k]) * static_cast<SumOf<T>>(x[sources[k]]);
    result[row] = static_cast<T>(sum);
  }
}

/// Whether every row is one entry of x.
bool is_picking(const SparseRows& matrix) {
  for (int64_t row = 0; row <= matrix.rows(); ++row)
    if (matrix.starts[static_cast<std::size_t>(row)] != row) return false;
  return std::all_of(matrix.weights.begin(), matrix.weights.end(),
                     [](double weight) { return weight == 1; });
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
    SumOf<T> sums[kBlock] = {};
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
  const bool picks = is_picking(matrix);
  const int64_t terms = static_cast<int64_t>(matrix.sources.size()) * inner + to;
  visit_computed(x.dtype(), [&]<typename T>() {
    const T* source = x.impl().data_as<T>();
    T* target = result.impl().data_as<T>();
    parallel_for(0, result.numel() / to, std::max<int64_t>(kParallelGrain / terms, 1),
                 [&](int64_t first, int64_t last) {
                   for (int64_t o = first; o < last; ++o)
                     if (inner == 1)
                       sum_slice(source + o * from, target + o * to, matrix, picks);
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
