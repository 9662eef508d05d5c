// Sums and means on a GPU: floating values are accumulated in double, in the same order each time.
#include "autograd/tensor/device_interface.h"
#include "ops/reduce/reduction.h"
#include "ops/reduce/reduction_kernel.h"

namespace notape::cuda {
namespace {

struct Sum {
  double divisor;
  template <typename T>
  using Result = Accumulated<T>;
  template <typename SomeRow>
  __device__ auto operator()(const SomeRow& row) const {
    using Total = Accumulator<typename SomeRow::Element>;
    const Total sum = sum_row<Total>(row, [&row](int64_t i) { return row[i]; });
    if constexpr (std::is_floating_point_v<Total>)
      return sum / divisor;
    else
      return sum;
  }
};

void sum_on_cuda(const Operation&, const Tensor& result, const Tensor& self,
                 const ReducedDims& dims, bool mean) {
  const Tensor rows = as_rows(self, dims);
  const RowsPlan plan{rows.impl().data(), result.impl().data(), result.numel(), dims.count};
  const Sum functor{mean ? static_cast<double>(dims.count) : 1};
  const Device device = self.device();
  void* const stream = device_interface(device).current_stream(device.index);
  visit_computed(self.dtype(),
                 [&]<typename T>() { detail::launch_reduction<Sum, T>(&plan, &functor, stream); });
}

const Implementation on_cuda(sum_kernel, kCUDA, sum_on_cuda);

}  // namespace
}  // namespace notape::cuda
