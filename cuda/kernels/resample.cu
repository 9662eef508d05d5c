// Resampling on a GPU, a thread for each element: terms in the CPU's order.
#include "ops/resample/resample.h"

#include <bit>

#include "cuda/kernels/launch_slices.h"
#include "cuda/kernels/table.h"
#include "ops/core/wrapping.h"

namespace notape::cuda {
namespace {

/// Of floating numbers in double.
template <typename T>
struct Resample {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, Wrapping<T>>;
  const T* x;
  T* result;
  const int64_t *starts, *sources;
  const double* weights;
  int64_t rows, columns, inner;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    const int64_t row = i / inner % rows;
    const T* const from = x + i / inner / rows * columns * inner + i % inner;
    const int64_t first = starts[row], last = starts[row + 1];
    if (last - first == 1 && weights[first] == 1) {  // picked, the sign of a zero included
      result[i] = from[sources[first] * inner];
      return;
    }
    Sum sum = 0;
    for (int64_t k = first; k < last; ++k)
      sum += static_cast<Sum>(weights[k]) * static_cast<Sum>(from[sources[k] * inner]);
    result[i] = static_cast<T>(sum);
  }
};

void resample_on_cuda(const Operation& op, const Tensor& result, const Tensor& x,
                      const SparseRows& matrix, int64_t inner) {
  if (x.dtype() == kBool) no_kernel(op, x.dtype(), x.device());
  if (result.numel() == 0) return;
  std::vector<int64_t> numbers = matrix.starts;
  numbers.insert(numbers.end(), matrix.sources.begin(), matrix.sources.end());
  for (const double weight : matrix.weights) numbers.push_back(std::bit_cast<int64_t>(weight));
  const Tensor table = table_on(numbers, x.device());
  const auto* const starts = table.impl().data_as<int64_t>();
  const int64_t* const sources = starts + matrix.starts.size();
  const auto* const weights = reinterpret_cast<const double*>(sources + matrix.sources.size());
  visit_computed(x.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, Bool>)
      detail::launch_by_threads(
          Resample<T>{x.impl().data_as<T>(), result.impl().data_as<T>(), starts, sources, weights,
                      matrix.rows(), matrix.columns, inner},
          result.numel(), stream_of(x));
  });
}

const Implementation on_cuda(resample_kernel, kCUDA, resample_on_cuda);

}  // namespace
}  // namespace notape::cuda
