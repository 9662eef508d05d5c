// Strided, converting copies within a device. One thread per element.
#include "cuda/kernels/kernels.h"
#include "ops/elementwise/kernel.h"

namespace notape::cuda {
namespace {

template <typename To>
struct Convert {
  template <typename From>
  __device__ To operator()(From value) const {
    if constexpr (std::is_same_v<To, bool>)
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

template <typename To>
void launch_from(const ElementwisePlan& plan, ScalarType source, void* stream) {
  visit_type(source, [&]<typename From>() { launch<To, From>(plan, stream); });
}

}  // namespace

void copy_on_cuda(const ElementwisePlan& plan, ScalarType target, ScalarType source, void* stream) {
  visit_type(target, [&]<typename To>() { launch_from<To>(plan, source, stream); });
}

}  // namespace notape::cuda
