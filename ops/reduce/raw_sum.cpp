// Sums and means without a graph. Rows that lie side by side are summed directly; other layouts are
// folded, in the order of their memory, into accumulators.
#include <vector>

#include "autograd/tensor/factories.h"
#include "ops/core/parallel.h"
#include "ops/reduce/lanes.h"
#include "ops/reduce/reduce.h"

namespace notape {
namespace {

/// Unsigned, because integer sums wrap around.
template <typename T>
using Accumulator = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

template <typename T>
Accumulator<T> sum_row(const T* row, int64_t n) {
  return sum_lanes<Accumulator<T>>(n, [row](int64_t i) { return row[i]; });
}

#ifdef __x86_64__
/// The same bits in less time: widening floats is what takes long, and this has twice the width.
[[gnu::target("avx512f")]] double sum_row_512(const float* row, int64_t n) {
  return sum_lanes<double>(n, [row](int64_t i) { return row[i]; });
}
template <>
double sum_row(const float* row, int64_t n) {
  static const bool has_512 = __builtin_cpu_supports("avx512f");
  return has_512 && n >= 1024 ? sum_row_512(row, n)
                              : sum_lanes<double>(n, [row](int64_t i) { return row[i]; });
}
#endif

/// By pieces that threads may share, the same whatever their number.
template <typename T>
Accumulator<T> sum_long_row(const T* row, int64_t n) {
  if (n <= kParallelGrain) return sum_row(row, n);
  std::vector<Accumulator<T>> sums(static_cast<std::size_t>((n - 1) / kParallelGrain + 1));
  parallel_for(0, n, kParallelGrain, [&](int64_t first, int64_t last) {
    sums[static_cast<std::size_t>(first / kParallelGrain)] = sum_row(row + first, last - first);
  });
  return sum_row(sums.data(), static_cast<int64_t>(sums.size()));
}

template <typename T>
void sum_loop(char* const* data, const int64_t* strides, int64_t n, const void*) {
  using Sum = Accumulator<T>;
  const char* input = data[1];
  const int64_t step = strides[1];
  const auto* row = reinterpret_cast<const T*>(input);
  const bool solid = step == static_cast<int64_t>(sizeof(T));
  if (strides[0] == 0) {
    *reinterpret_cast<Sum*>(data[0]) +=
        solid ? sum_row(row, n) : sum_lanes<Sum>(n, [input, step](int64_t i) {
          return *reinterpret_cast<const T*>(input + i * step);
        });
  } else if (solid && strides[0] == static_cast<int64_t>(sizeof(Sum))) {
    auto* sums = reinterpret_cast<Sum*>(data[0]);
    for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<Sum>(row[i]);
  } else {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<Sum*>(data[0] + i * strides[0]) +=
          static_cast<Sum>(*reinterpret_cast<const T*>(input + i * step));
  }
}

template <typename T>
void divide(const Tensor& sums, int64_t count) {
  T* values = sums.impl().data_as<T>();
  for (int64_t i = 0; i < sums.numel(); ++i) values[i] /= static_cast<T>(count);
}

/// The last dimensions, and only they, are reduced in a row-major tensor.
bool has_rows(const Tensor& self, const ReducedDims& dims) {
  if (!self.is_contiguous()) return false;
  bool inside = false;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1) continue;
    if (inside && !dims.reduced[d]) return false;
    inside |= dims.reduced[d];
  }
  return true;
}

template <typename T>
Tensor sum_or_mean(const Tensor& self, const ReducedDims& dims, bool mean) {
  constexpr bool floating = std::is_floating_point_v<T>;
  using Result = std::conditional_t<floating, T, int64_t>;
  if (has_rows(self, dims)) {
    const Tensor result = allocate(dims.result_sizes, scalar_type_of<Result>, kCPU);
    const auto divisor = static_cast<Accumulator<T>>(mean ? dims.count : 1);
    reduce_rows<T>(self, dims, result, [mean, divisor](const T* row, int64_t n) {
      const Accumulator<T> sum = sum_long_row(row, n);
      return static_cast<Result>(mean ? sum / divisor : sum);
    });
    return result;
  }
  const Tensor sums = zeros(dims.kept_sizes, floating ? kFloat64 : kInt64);
  fold(sum_loop<T>, sums, self);
  if (mean) divide<double>(sums, dims.count);
  return raw_alias(raw_convert(sums, scalar_type_of<Result>), Geometry(dims.result_sizes));
}

Tensor sum_on_device(const Operation& op, const Tensor& self, const ReducedDims& dims, bool mean) {
  const ScalarType type = is_floating_point(self.dtype()) ? self.dtype() : kInt64;
  const Tensor result = allocate(dims.result_sizes, type, self.device());
  sum_rows_kernel(op, self.dtype(), self.device(), result, as_rows(self, dims), dims.count,
                  mean ? static_cast<double>(dims.count) : 1);
  return result;
}

Tensor run(const Operation& op, const Tensor& self, const ReducedDims& dims, bool mean) {
  if (is_batched(self))
    return over_batch(
        [&](int64_t size, const Tensor& all) {
          return run(op, all, dims.behind_batch(size), mean);
        },
        self);
  if (!self.device().is_cpu()) return sum_on_device(op, self, dims, mean);
  return visit_type(self.dtype(), [&]<typename T>() { return sum_or_mean<T>(self, dims, mean); });
}

}  // namespace

constinit SumRowsKernel sum_rows_kernel(nullptr);

Tensor raw_sum(const Operation& op, const Tensor& self, const ReducedDims& dims) {
  return run(op, self, dims, false);
}

Tensor raw_mean(const Operation& op, const Tensor& self, const ReducedDims& dims) {
  require_floating(op, self);
  return run(op, self, dims, true);
}

}  // namespace notape
