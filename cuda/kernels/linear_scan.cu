#include "cuda/kernels/launch_slices.h"

namespace notape::cuda {
namespace {

void linear_scan_on_cuda(const Operation&, const Tensor& result, const Tensor& coefficients,
                         const Tensor& terms, const Slices& slices, ScanFrom from) {
  visit_floating(terms.dtype(), [&]<typename T>() {
    const LinearScan<T> work{coefficients.impl().data_as<T>(), terms.impl().data_as<T>(),
                             result.impl().data_as<T>(), slices, from};
    detail::launch_by_threads(work, slices.count(), stream_of(terms));
  });
}

const Implementation on_cuda(linear_scan_kernel, kCUDA, linear_scan_on_cuda);

}  // namespace
}  // namespace notape::cuda
