#include "cuda/kernels/launch_slices.h"
#include "ops/core/allocate.h"

namespace notape::cuda {
namespace {

void products_on_cuda(const Operation&, const Tensor& result, const Tensor& self,
                      const Slices& slices) {
  const Tensor before = allocate(self.sizes(), kFloat64, self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    const ProductsOfOthers<T> work{self.impl().data_as<T>(), before.impl().data_as<double>(),
                                   result.impl().data_as<T>(), slices};
    detail::launch_by_threads(work, slices.count(), stream_of(self));
  });
}

const Implementation on_cuda(products_of_others_kernel, kCUDA, products_on_cuda);

}  // namespace
}  // namespace notape::cuda
