#include "ops/index/searchsorted.h"

#include "ops/parallel.h"

namespace notape {
namespace {

/// How many elements of the row stand before the value. NaN is the largest element, and as a value
/// it stands behind all, NaN included.
template <typename T, bool kRight>
int64_t count_before(const T* row, const int64_t* sorter, int64_t n, T value) {
  int64_t first = 0, last = n;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    const T element = row[sorter ? sorter[middle] : middle];
    const bool is_behind = kRight ? element > value : element >= value;
    const bool is_nan = element != element, is_before_nan = value == value;
    const bool stands_behind = is_behind | (is_nan & is_before_nan);
    if (stands_behind)
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

template <typename T, bool kRight>
void search(const Tensor& result, const Tensor& sequence, const Tensor& sorter,
            const Tensor& values) {
  const int64_t n = sequence.size(1), m = values.size(1);
  const bool is_shared = sequence.size(0) == 1;
  const T *rows = sequence.impl().data_as<T>(), *value = values.impl().data_as<T>();
  const int64_t* order = sorter.defined() ? sorter.impl().data_as<int64_t>() : nullptr;
  auto* to = result.impl().data_as<int64_t>();
  parallel_for(0, values.numel(), kParallelGrain / 16, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t start = is_shared ? 0 : i / m * n;
      to[i] = count_before<T, kRight>(rows + start, order ? order + start : nullptr, n, value[i]);
    }
  });
}

void search_on_cpu(const Operation&, const Tensor& result, const Tensor& sequence,
                   const Tensor& sorter, const Tensor& values, bool right) {
  visit_computed(values.dtype(), [&]<typename T>() {
    (right ? search<T, true> : search<T, false>)(result, sequence, sorter, values);
  });
}

}  // namespace

constinit SearchKernel search_kernel(search_on_cpu);

}  // namespace notape
