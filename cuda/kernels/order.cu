#include "autograd/tensor/factories.h"
#include "cuda/kernels/launch_slices.h"
#include "ops/core/allocate.h"
#include "ops/reduce/ordering.h"

namespace notape::cuda {
namespace {

void order_on_cuda(const Operation&, const Tensor& values, const Tensor& indices,
                   const Tensor& self, const Slices& slices, int64_t count, bool descending) {
  if (slices.count() == 0 || slices.size == 0) return;
  int64_t padded = 1;
  while (padded < slices.size) padded *= 2;
  visit_computed(self.dtype(), [&]<typename T>() {
    using Entry = OrderingEntry<T>;
    const auto bytes = static_cast<int64_t>(sizeof(Entry)) * slices.count() * padded;
    const Tensor memory = allocate(IntArrayRef({bytes}), kUInt8, self.device());
    const auto run = [&]<bool kDescending>() {
      const OrderSlice<T, kDescending> work{self.impl().data_as<T>(),
                                            values.impl().data_as<T>(),
                                            indices.impl().data_as<int64_t>(),
                                            static_cast<Entry*>(memory.impl().data()),
                                            slices,
                                            padded,
                                            count};
      detail::launch_each(work, slices.count(), slices.size >= detail::kLongRow, stream_of(self));
    };
    if (descending)
      run.template operator()<true>();
    else
      run.template operator()<false>();
  });
}

const Implementation on_cuda(order_kernel, kCUDA, order_on_cuda);

}  // namespace
}  // namespace notape::cuda
