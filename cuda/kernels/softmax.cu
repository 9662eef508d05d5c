#include "ops/reduce/softmax.h"

#include "cuda/kernels/launch_slices.h"

namespace notape::cuda {
namespace {

template <typename Formula>
void softmax(const Operation&, const Tensor& result, const Tensor& self, const Slices& slices) {
  visit_floating(self.dtype(), [&]<typename T>() {
    const Softmax<Formula, T> work{self.impl().data_as<T>(), result.impl().data_as<T>(), slices};
    launch_slices(work, slices, self);
  });
}

template <typename Formula>
void gradient(const Operation&, const Tensor& result, const Tensor& g, const Tensor& y,
              const Slices& slices) {
  visit_floating(y.dtype(), [&]<typename T>() {
    const SoftmaxGradientSlice<Formula, T> work{g.impl().data_as<T>(), y.impl().data_as<T>(),
                                                result.impl().data_as<T>(), slices};
    launch_slices(work, slices, y);
  });
}

const Implementation implementations[] = {
    {softmax_kernel, kCUDA, softmax<SoftmaxFormula<false>>},
    {log_softmax_kernel, kCUDA, softmax<SoftmaxFormula<true>>},
    {softmax_gradient_kernel, kCUDA, gradient<SoftmaxGradient>},
    {log_softmax_gradient_kernel, kCUDA, gradient<LogSoftmaxGradient>},
    {log_softmax_tangent_kernel, kCUDA, gradient<LogSoftmaxTangent>}};

}  // namespace
}  // namespace notape::cuda
