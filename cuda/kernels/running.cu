#include "ops/reduce/running.h"

#include "cuda/kernels/launch_slices.h"
#include "ops/reduce/running_slices.h"

namespace notape::cuda {
namespace {

template <typename Work>
void launch(const Work& work, const Tensor& self) {
  detail::launch_by_threads(work, work.slices.count(), stream_of(self));
}

void cumprod_on_cuda(const Operation&, const Tensor& result, const Tensor& self,
                     const Slices& slices) {
  visit_computed(self.dtype(), [&]<typename T>() {
    launch(RunningProduct<T>{self.impl().data_as<T>(), result.impl().data_as<Accumulated<T>>(),
                             slices},
           self);
  });
}

void logcumsumexp_on_cuda(const Operation& op, const Tensor& result, const Tensor& self,
                          const Slices& slices) {
  if (!self.is_floating_point()) no_kernel(op, self.dtype(), self.device());
  visit_floating(self.dtype(), [&]<typename T>() {
    launch(RunningLogSum<T>{self.impl().data_as<T>(), result.impl().data_as<T>(), slices}, self);
  });
}

void running_extreme_on_cuda(const Operation&, const Tensor& values, const Tensor& indices,
                             const Tensor& self, const Slices& slices, Extreme which) {
  visit_computed(self.dtype(), [&]<typename T>() {
    visit_order(which == Extreme::Largest, [&]<typename Order>() {
      launch(RunningExtreme<Order, T>{self.impl().data_as<T>(), values.impl().data_as<T>(),
                                      indices.impl().data_as<int64_t>(), slices},
             self);
    });
  });
}

const Implementation product(cumprod_kernel, kCUDA, cumprod_on_cuda);
const Implementation log_sum(logcumsumexp_kernel, kCUDA, logcumsumexp_on_cuda);
const Implementation extreme(running_extreme_kernel, kCUDA, running_extreme_on_cuda);

}  // namespace
}  // namespace notape::cuda
