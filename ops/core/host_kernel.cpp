#include "ops/core/host_kernel.h"

#include "ops/core/kernel_slot.h"

namespace notape {

HostKernelScope::HostKernelScope(const Operation& op, ScalarType type, Device device) {
  if (device.is_cpu()) return;
  if (!has_host_kernels(device)) no_kernel(op, type, device);
  opened_ = &device_interface(device);
  opened_->open_memory();
}

}  // namespace notape
