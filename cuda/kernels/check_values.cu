// Values that are to lie within bounds, looked at by a kernel: nobody waits for the answer.
#include "cuda/kernels/launch_slices.h"
#include "cuda/kernels/position_check.h"
#include "ops/core/check_values.h"

namespace notape::cuda {
namespace {

template <typename T>
struct LookAt {
  const T* values;
  ValueBounds bounds;
  Report report;

  __device__ void operator()(int64_t i, const LoneThread&) const {
    const auto value = static_cast<double>(values[i]);
    if (!(value >= bounds.least && value <= bounds.most)) report.of_value(value, i, bounds);
  }
};

void check_on_cuda(const Operation& op, const Tensor& values, const ValueBounds& bounds) {
  visit_type(values.dtype(), [&]<typename T>() {
    if constexpr (is_floating_v<T> || std::is_same_v<T, int32_t>)
      detail::launch_by_threads(
          LookAt<T>{values.impl().data_as<T>(), bounds, Report(op, values.device())},
          values.numel(), stream_of(values));
  });
}

const Implementation value_check_on_cuda(value_check_kernel, kCUDA, check_on_cuda);

}  // namespace
}  // namespace notape::cuda
