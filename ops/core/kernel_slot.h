// Kernel<Signature>: the implementations of one computation, one slot per kind of device. The CPU's
// is there from the start; a device library fills its own slot while it is being loaded.
//
//   using FooKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& input)>;
//   constinit FooKernel foo_kernel(foo_on_cpu);                     // ops/cpu/foo.cpp
//   foo_kernel.implement(kCUDA, foo_on_cuda);                       // when the CUDA library loads
//   foo_kernel(op, result.dtype(), result.device(), result, input); // ops/.../foo.cpp
#pragma once
#include <array>

#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

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

  /// Runs the implementation for `device`; `type` is the element type the error names.
  void operator()(const Operation& op, ScalarType type, Device device,
                  const std::type_identity_t<Arguments>&... arguments) const {
    const Function function = functions_[static_cast<std::size_t>(device.type)];
    if (!function) [[unlikely]]
      no_kernel(op, type, device);
    function(op, arguments...);
  }

 private:
  std::array<Function, kDeviceTypes> functions_;
};

}  // namespace notape
