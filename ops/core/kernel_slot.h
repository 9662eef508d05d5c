// Kernel<Signature>: the implementations of one computation, one slot per kind of device. The CPU's
// is there from the start; a device library fills its own slot while it is being loaded. A
// simulated device computes with the CPU's.
//
//   using FooKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& input)>;
//   constinit FooKernel foo_kernel(foo_on_cpu);                     // ops/cpu/foo.cpp
//   const Implementation on_cuda(foo_kernel, kCUDA, foo_on_cuda);   // cuda/kernels/foo.cu
//   foo_kernel(op, result.dtype(), result.device(), result, input); // ops/.../foo.cpp
#pragma once
#include <array>

#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"
#include "ops/core/host_kernel.h"

namespace notape {

/// Throws NoKernel, naming operator, dtype and device.
[[noreturn]] void no_kernel(const Operation& op, ScalarType type, Device device);

template <typename Signature>
class Kernel;

/// An implementation calls no_kernel() itself for dtypes that it does not know.
template <typename... Arguments>
class Kernel<void(const Operation&, Arguments...)> {
 public:
  using Function = void (*)(const Operation&, Arguments...);

  constexpr explicit Kernel(Function cpu) : functions_{cpu} {
    static_assert(static_cast<int>(kCPU) == 0);
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  void implement(DeviceType device, Function function) {
    functions_[static_cast<std::size_t>(device)] = function;
  }

  bool exists_on(Device device) const {
    return functions_[static_cast<std::size_t>(device.type)] || has_host_kernels(device);
  }
  /// Of a kernel that other operators can do without: whether the device has it.
  bool is_offered_on(Device device) const {
    return functions_[static_cast<std::size_t>(device.type)] || has_fused_host_kernels(device);
  }

  /// Runs the implementation for `device`; `type` is the element type the error names.
  void operator()(const Operation& op, ScalarType type, Device device,
                  const std::type_identity_t<Arguments>&... arguments) const {
    const Function function = functions_[static_cast<std::size_t>(device.type)];
    if (!function) [[unlikely]] {
      const HostKernelScope scope(op, type, device);
      return functions_[0](op, arguments...);
    }
    try {
      function(op, arguments...);
    } catch (const DeviceError& error) {
      rethrow_named(op, error);
    }
  }

 private:
  std::array<Function, kDeviceTypes> functions_;
};

/// Fills a slot; stands at namespace scope beside the implementation.
struct Implementation {
  template <typename... Arguments>
  Implementation(Kernel<void(const Operation&, Arguments...)>& kernel, DeviceType device,
                 std::type_identity_t<void (*)(const Operation&, Arguments...)> function) {
    kernel.implement(device, function);
  }
};

}  // namespace notape
