#include "ops/index/searchsorted.h"

#include "ops/index/search_row.h"
#include "ops/parallel.h"

namespace notape {
namespace {

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
