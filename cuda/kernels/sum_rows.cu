// Sums of rows: a block for each long row, a thread for each short one.
#include "cuda/kernels/sum_rows.h"

#include <algorithm>

#include "ops/elementwise/register_cuda.h"

namespace notape::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kLongRow = 64, kMostBlocks = 65535;

template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
template <typename T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;

template <typename T>
__device__ Sum<T> finished(Accumulator<T> sum, double divisor) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(sum / divisor);
  else
    return static_cast<int64_t>(sum);
}

template <typename T>
__global__ void sum_long_rows(Sum<T>* result, const T* rows, int64_t results, int64_t count,
                              double divisor) {
  __shared__ Accumulator<T> partial[kThreads];
  for (int64_t row = blockIdx.x; row < results; row += gridDim.x) {
    Accumulator<T> sum = 0;
    for (int64_t i = threadIdx.x; i < count; i += kThreads)
      sum += static_cast<Accumulator<T>>(rows[row * count + i]);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int width = kThreads / 2; width > 0; width /= 2) {
      if (threadIdx.x < width) partial[threadIdx.x] += partial[threadIdx.x + width];
      __syncthreads();
    }
    if (threadIdx.x == 0) result[row] = finished<T>(partial[0], divisor);
    __syncthreads();
  }
}

template <typename T>
__global__ void sum_short_rows(Sum<T>* result, const T* rows, int64_t results, int64_t count,
                               double divisor) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; row < results;
       row += step) {
    Accumulator<T> sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += static_cast<Accumulator<T>>(rows[row * count + i]);
    result[row] = finished<T>(sum, divisor);
  }
}

}  // namespace

void launch_sum_rows(ScalarType type, void* result, const void* rows, int64_t results,
                     int64_t count, double divisor, void* stream) {
  if (results == 0) return;
  visit_type(type, [&]<typename T>() {
    const bool is_long = count >= kLongRow;
    const int64_t wanted = is_long ? results : (results + kThreads - 1) / kThreads;
    const auto blocks = static_cast<unsigned>(std::min(wanted, kMostBlocks));
    const auto queue = static_cast<cudaStream_t>(stream);
    auto* sums = static_cast<Sum<T>*>(result);
    const auto* values = static_cast<const T*>(rows);
    if (is_long)
      sum_long_rows<T><<<blocks, kThreads, 0, queue>>>(sums, values, results, count, divisor);
    else
      sum_short_rows<T><<<blocks, kThreads, 0, queue>>>(sums, values, results, count, divisor);
    check_launch(cudaGetLastError());
  });
}

}  // namespace notape::cuda
