#include "ops/core/host_kernel.h"

#include "ops/core/kernel_slot.h"

namespace notape {

void rethrow_named(const Operation& op, const DeviceError& error) {
  const std::string& text = error.what_without_backtrace();
  if (text.starts_with("CUDA: ") || text.starts_with("cuBLAS: ")) op.fail<DeviceError>("{}", text);
  throw;
}

HostKernelScope::HostKernelScope(const Operation& op, ScalarType type, Device device) {
  if (device.is_cpu()) return;
  if (!has_host_kernels(device)) no_kernel(op, type, device);
  opened_ = &device_interface(device);
  opened_->open_memory();
}

}  // namespace notape
