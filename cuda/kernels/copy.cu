#include "cuda/kernels/copy.h"

#include "autograd/tensor/device_interface.h"
#include "ops/core/raw_copy.h"
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/make_plan.h"

namespace notape::cuda {
namespace {

template <typename To>
struct Convert {
  template <typename From>
  __device__ To operator()(From value) const {
    if constexpr (std::is_same_v<From, Bool>)
      return static_cast<To>(static_cast<bool>(value));
    else if constexpr (std::is_same_v<To, Bool>)
      return value != From(0);
    else
      return static_cast<To>(value);
  }
};

template <typename To, typename From>
void launch(const ElementwisePlan& plan, void* stream) {
  detail::launch_elementwise(plan, Convert<To>(), stream, static_cast<To (*)(From)>(nullptr),
                             std::integer_sequence<int, 0>());
}

void copy_on_cuda(const Operation&, const Tensor& target, const Tensor& source) {
  ElementwisePlan plan;
  const Tensor* inputs[] = {&source};
  make_plan(plan, target, inputs, 1);
  const Device device = target.device();
  launch_copy(plan, target.dtype(), source.dtype(),
              device_interface(device).current_stream(device.index));
}

const Implementation on_cuda(copy_kernel, kCUDA, copy_on_cuda);

}  // namespace

void launch_copy(const ElementwisePlan& plan, ScalarType target, ScalarType source, void* stream) {
  visit_type(target, [&]<typename To>() {
    visit_type(source, [&]<typename From>() { launch<To, From>(plan, stream); });
  });
}

}  // namespace notape::cuda
