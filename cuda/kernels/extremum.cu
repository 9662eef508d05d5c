#include "ops/reduce/extremum.h"

#include "cuda/kernels/launch_slices.h"

namespace notape::cuda {
namespace {

void extremum_on_cuda(const Operation&, const Tensor& values, const Tensor& indices,
                      const Tensor& self, const Slices& slices, Extreme which) {
  auto* const places = indices.defined() ? indices.impl().data_as<int64_t>() : nullptr;
  visit_computed(self.dtype(), [&]<typename T>() {
    visit_order(which == Extreme::Largest, [&]<typename Order>() {
      const Extremum<Order, T> work{self.impl().data_as<T>(), values.impl().data_as<T>(), places,
                                    slices};
      launch_slices(work, slices, self);
    });
  });
}

const Implementation on_cuda(extremum_kernel, kCUDA, extremum_on_cuda);

}  // namespace
}  // namespace notape::cuda
