#include "cuda/library/library.h"

#include "cuda/library/runtime_driver.h"

namespace notape::cuda {

CudaDevice& cuda_device() {
  static auto* const device = new CudaDevice(runtime_driver());
  return *device;
}

namespace {

// Kernels register themselves: those made of functors in their operators' files, others in
// kernels/.
[[maybe_unused]] const bool registered = [] {
  register_device(DeviceType::CUDA, &cuda_device());
  return true;
}();

}  // namespace
}  // namespace notape::cuda
