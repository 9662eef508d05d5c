// Sums on the CPU. Rows that lie side by side are summed directly; other layouts are folded, in the
// order of their memory, into accumulators.
#include <vector>

#include "autograd/tensor/factories.h"
#include "ops/elementwise/make_plan.h"
#include "ops/elementwise/run_on_cpu.h"
#include "ops/parallel.h"
#include "ops/reduce/accumulator.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/row.h"

namespace notape {
namespace {

template <typename T>
Accumulator<T> sum_of(const T* row, int64_t n) {
  return sum_lanes<Accumulator<T>>(n, [row](int64_t i) { return row[i]; });
}

#ifdef __x86_64__
/// The same bits in less time: widening floats is what takes long, and this has twice the width.
[[gnu::target("avx512f")]] double sum_512(const float* row, int64_t n) {
  return sum_lanes<double>(n, [row](int64_t i) { return row[i]; });
}
template <>
double sum_of(const float* row, int64_t n) {
  static const bool has_512 = __builtin_cpu_supports("avx512f");
  return has_512 && n >= 1024 ? sum_512(row, n)
                              : sum_lanes<double>(n, [row](int64_t i) { return row[i]; });
}
#endif

/// By pieces that threads may share, the same whatever their number.
template <typename T>
Accumulator<T> sum_long_row(const T* row, int64_t n) {
  if (n <= kParallelGrain) return sum_of(row, n);
  std::vector<Accumulator<T>> sums(static_cast<std::size_t>((n - 1) / kParallelGrain + 1));
  parallel_for(0, n, kParallelGrain, [&](int64_t first, int64_t last) {
    sums[static_cast<std::size_t>(first / kParallelGrain)] = sum_of(row + first, last - first);
  });
  return sum_of(sums.data(), static_cast<int64_t>(sums.size()));
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
        solid ? sum_of(row, n) : sum_lanes<Sum>(n, [input, step](int64_t i) {
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

/// Adds `input` to accumulators that have its sizes but for dimensions of size 1.
void fold(ElementwiseLoop loop, const Tensor& accumulator, const Tensor& input) {
  const Geometry& kept = accumulator.impl().geometry();
  DimVector strides(static_cast<std::size_t>(input.dim()));
  for (int d = 0; d < kept.dim(); ++d)
    strides[static_cast<std::size_t>(d)] = kept.size(d) == 1 ? 0 : kept.stride(d);
  const Tensor target = raw_alias(accumulator, Geometry(input.sizes(), strides, kept.offset()));
  ElementwisePlan plan;
  const Tensor* inputs[] = {&input};
  make_plan(plan, target, inputs, 1, 1);
  run_on_cpu(loop, plan, nullptr);
}

template <typename T>
void sum_rows(const Tensor& result, const Tensor& self, int64_t size, bool mean) {
  using Result = Accumulated<T>;
  const T* rows = self.impl().data_as<T>();
  auto* sums = result.impl().data_as<Result>();
  const auto divisor = static_cast<Accumulator<T>>(mean ? size : 1);
  const int64_t rows_at_once = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(1, size));
  parallel_for(0, result.numel(), rows_at_once, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const Accumulator<T> sum = sum_long_row(rows + i * size, size);
      sums[i] = static_cast<Result>(mean ? sum / divisor : sum);
    }
  });
}

template <typename T>
void sum(const Tensor& result, const Tensor& self, const ReducedDims& dims, bool mean) {
  if (has_rows(self, dims)) return sum_rows<T>(result, self, dims.count, mean);
  const Tensor sums = zeros(dims.kept_sizes, std::is_floating_point_v<T> ? kFloat64 : kInt64);
  fold(sum_loop<T>, sums, self);
  if (mean) divide<double>(sums, dims.count);
  raw_copy(result, raw_alias(sums, Geometry(dims.result_sizes)));
}

void sum_on_cpu(const Operation&, const Tensor& result, const Tensor& self, const ReducedDims& dims,
                bool mean) {
  visit_computed(self.dtype(), [&]<typename T>() { sum<T>(result, self, dims, mean); });
}

}  // namespace

constinit SumKernel sum_kernel(sum_on_cpu);

}  // namespace notape
