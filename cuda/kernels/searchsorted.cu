#include "ops/index/searchsorted.h"

#include "cuda/kernels/launch_slices.h"
#include "ops/index/search_row.h"

namespace notape::cuda {
namespace {

/// A thread for each value.
template <typename T, bool kRight>
struct Search {
  const T *rows, *values;
  const int64_t* order;  ///< or null
  int64_t* result;
  int64_t n, m;
  bool is_shared;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    const int64_t start = is_shared ? 0 : i / m * n;
    result[i] =
        count_before<T, kRight>(rows + start, order ? order + start : nullptr, n, values[i]);
  }
};

void search_on_cuda(const Operation&, const Tensor& result, const Tensor& sequence,
                    const Tensor& sorter, const Tensor& values, bool right) {
  visit_computed(values.dtype(), [&]<typename T>() {
    const auto run = [&]<bool kRight>() {
      const Search<T, kRight> work{sequence.impl().data_as<T>(),
                                   values.impl().data_as<T>(),
                                   sorter.defined() ? sorter.impl().data_as<int64_t>() : nullptr,
                                   result.impl().data_as<int64_t>(),
                                   sequence.size(1),
                                   values.size(1),
                                   sequence.size(0) == 1};
      detail::launch_by_threads(work, values.numel(), stream_of(values));
    };
    if (right)
      run.template operator()<true>();
    else
      run.template operator()<false>();
  });
}

const Implementation on_cuda(search_kernel, kCUDA, search_on_cuda);

}  // namespace
}  // namespace notape::cuda
