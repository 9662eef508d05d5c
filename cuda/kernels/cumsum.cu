#include "cuda/kernels/launch_slices.h"

namespace notape::cuda {
namespace {

void cumsum_on_cuda(const Operation&, const Tensor& result, const Tensor& self,
                    const Slices& slices, ScanFrom from) {
  visit_computed(self.dtype(), [&]<typename T>() {
    const Cumsum<T> work{self.impl().data_as<T>(), result.impl().data_as<Accumulated<T>>(), slices,
                         from};
    launch_slices(work, slices, self);
  });
}

const Implementation on_cuda(cumsum_kernel, kCUDA, cumsum_on_cuda);

}  // namespace
}  // namespace notape::cuda
