// Sums on the CPU. Rows that lie side by side are summed directly; other layouts are folded, in the
// order of their memory, into accumulators.
#include <cmath>
#include <vector>

#include "autograd/tensor/factories.h"
#include "ops/core/run_wide.h"
#include "ops/elementwise/make_plan.h"
#include "ops/elementwise/run_on_cpu.h"
#include "ops/parallel.h"
#include "ops/reduce/accumulator.h"
#include "ops/reduce/as_slices.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/wide_floats.h"

namespace notape {
namespace {

template <typename T>
Accumulator<T> sum_of(const T* row, int64_t n) {
  return sum_lanes<Accumulator<T>>(n, [row](int64_t i) { return row[i]; });
}

template <>
double sum_of(const float* row, int64_t n) {
  const double sum = sum_of_floats(row, n);
  if (std::isfinite(sum)) [[likely]]
    return sum;
  return sum_lanes<double>(n, [row](int64_t i) { return row[i]; });  // eight may have overflowed
}

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

/// Adds `count` rows, `step` apart, to sums[n < width]. Floats are added by fours first, since
/// widening takes longer than adding: each then has two more roundings.
template <bool kByFours, typename T>
void add_rows(Accumulator<T>* sums, const T* rows, int64_t count, int64_t step, int64_t width) {
  using Sum = Accumulator<T>;
  int64_t i = 0;
  if constexpr (kByFours)
    for (; i + 4 <= count; i += 4, rows += 4 * step) {
      const T *first = rows, *second = first + step, *third = second + step, *fourth = third + step;
#ifndef __clang__  // which looks at run time whether they overlap
#pragma GCC ivdep
#endif
      for (int64_t n = 0; n < width; ++n)
        sums[n] += static_cast<Sum>((first[n] + second[n]) + (third[n] + fourth[n]));
    }
  for (; i < count; ++i, rows += step)
    for (int64_t n = 0; n < width; ++n) sums[n] += static_cast<Sum>(rows[n]);
}

/// By their bits, which comparisons of vectors can do.
bool all_finite(const double* values, int64_t n) {
  constexpr auto kInfinite = std::bit_cast<int64_t>(std::numeric_limits<double>::infinity());
  int64_t infinite = 0;
  for (int64_t i = 0; i < n; ++i)
    infinite |= (std::bit_cast<int64_t>(values[i]) & kInfinite) == kInfinite;
  return infinite == 0;
}

constexpr int64_t kSumColumns = 512;  // whose sums stay in the nearest cache

/// sums[n] = the sum of column n < width <= kColumns of rows that are `step` apart.
template <typename T>
void sum_columns(Accumulator<T>* sums, const T* rows, int64_t count, int64_t step, int64_t width) {
  constexpr int64_t kWide = 64;
  // Narrow rows that lie side by side are added several at a time, as if they were one.
  const int64_t joined = step == width && width < kWide ? kWide / width : 1;
  const int64_t whole = count / joined;
  const auto add = [&]<bool kByFours>() {
    std::fill_n(sums, joined * width, Accumulator<T>(0));
    add_rows<kByFours>(sums, rows, whole, joined * step, joined * width);
    add_rows<false>(sums, rows + whole * joined * step, count % joined, step, width);
    for (int64_t k = 1; k < joined; ++k)
      for (int64_t n = 0; n < width; ++n) sums[n] += sums[k * width + n];
  };
  add.template operator()<std::is_same_v<T, float>>();
  if constexpr (std::is_same_v<T, float>)
    if (!all_finite(sums, width)) add.template operator()<false>();  // four may have overflowed
}

/// self: (outer, size, inner), result: (outer, inner)
template <typename T>
void sum_slices(const Tensor& result, const Tensor& self, const Slices& s, bool mean) {
  using Result = Accumulated<T>;
  const T* from = self.impl().data_as<T>();
  auto* results = result.impl().data_as<Result>();
  const auto divisor = static_cast<Accumulator<T>>(mean ? s.size : 1);
  const int64_t blocks = (s.inner + kSumColumns - 1) / kSumColumns;
  const int64_t work = std::max<int64_t>(1, s.size * std::min(s.inner, kSumColumns));
  const auto sum_block = [&](int64_t block) {
    const int64_t o = block / blocks, first = block % blocks * kSumColumns;
    const int64_t width = std::min(kSumColumns, s.inner - first);
    Accumulator<T> sums[kSumColumns];
    sum_columns(sums, from + o * s.size * s.inner + first, s.size, s.inner, width);
    Result* to = results + o * s.inner + first;
    for (int64_t n = 0; n < width; ++n)
      to[n] = static_cast<Result>(mean ? sums[n] / divisor : sums[n]);
  };
  parallel_for(0, s.outer * blocks, std::max<int64_t>(1, kParallelGrain / work),
               [&](int64_t first, int64_t last) {
                 detail::run_wide<T>([&] {
                   for (int64_t block = first; block < last; ++block) sum_block(block);
                 });
               });
}

/// Rows that meet in one row of sums.
struct SumRows {
  int64_t count, step;
};
template <typename T>
void add_columns_loop(char* const* data, const int64_t*, int64_t n, const void* functor) {
  const SumRows& rows = *static_cast<const SumRows*>(functor);
  auto* to = reinterpret_cast<Accumulator<T>*>(data[0]);
  const auto* from = reinterpret_cast<const T*>(data[1]);
  detail::run_wide<T>([&] {
    Accumulator<T> sums[kSumColumns];
    for (int64_t first = 0; first < n; first += kSumColumns) {
      const int64_t width = std::min(kSumColumns, n - first);
      sum_columns(sums, from + first, rows.count, rows.step, width);
      for (int64_t k = 0; k < width; ++k) to[first + k] += sums[k];
    }
  });
}

/// Adds `input` to accumulators that have its sizes but for dimensions of size 1.
template <typename T>
void fold(const Tensor& accumulator, const Tensor& input) {
  const Geometry& kept = accumulator.impl().geometry();
  DimVector strides(static_cast<std::size_t>(input.dim()));
  for (int d = 0; d < kept.dim(); ++d)
    strides[static_cast<std::size_t>(d)] = kept.size(d) == 1 ? 0 : kept.stride(d);
  const Tensor target = raw_alias(accumulator, Geometry(input.sizes(), strides, kept.offset()));
  ElementwisePlan plan;
  const Tensor* inputs[] = {&input};
  make_plan(plan, target, inputs, 1, 1);
  constexpr int64_t kItem = sizeof(T), kSum = sizeof(Accumulator<T>);
  if (plan.numel == 0 || plan.ndim < 2 || plan.strides[0][0] != kSum ||
      plan.strides[0][1] != kItem || plan.strides[1][0] != 0)
    return run_on_cpu(sum_loop<T>, plan, nullptr);
  const SumRows rows{plan.sizes[1], plan.strides[1][1] / kItem};
  plan.numel /= plan.sizes[1];
  --plan.ndim;
  for (int d = 1; d < plan.ndim; ++d) {
    plan.sizes[d] = plan.sizes[d + 1];
    std::copy_n(plan.strides[d + 1], 2, plan.strides[d]);
  }
  run_on_cpu(add_columns_loop<T>, plan, &rows);
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
  if (const std::optional<Slices> s = as_slices(self, dims)) {
    if (s->inner == 1) return sum_rows<T>(result, self, s->size, mean);
    return sum_slices<T>(result, self, *s, mean);
  }
  const Tensor sums = zeros(dims.kept_sizes, std::is_floating_point_v<T> ? kFloat64 : kInt64);
  fold<T>(sums, self);
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
