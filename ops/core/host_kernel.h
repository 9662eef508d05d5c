// HostKernelScope: a kernel of the CPU runs on a simulated device, whose memory is open meanwhile.
#pragma once
#include "autograd/observer.h"
#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/scalar_type.h"

namespace notape {

/// Inside a handler of the error that a kernel has thrown: throws it again, with the operator's
/// name and place if it is a GPU's and has none.
[[noreturn]] void rethrow_named(const Operation& op, const DeviceError& error);

class HostKernelScope {
 public:
  /// Nothing for the CPU. Throws NoKernel, naming operator, dtype and device, for a device on which
  /// the CPU's kernels do not compute.
  HostKernelScope(const Operation& op, ScalarType type, Device device);
  ~HostKernelScope() {
    if (opened_) opened_->close_memory();
  }
  HostKernelScope(const HostKernelScope&) = delete;
  HostKernelScope& operator=(const HostKernelScope&) = delete;

 private:
  DeviceInterface* opened_ = nullptr;
};

}  // namespace notape
