// How the CUDA pass of an operator's file reaches its kernel without seeing the tensor headers.
#pragma once

namespace notape {

/// Queues a kernel on a device's stream. `plan` and `functor` are what the kind of kernel says.
using KernelLaunch = void (*)(const void* plan, const void* functor, void* stream);

/// `type` is the position in ScalarType. A name without kernel is ignored.
void register_cuda_kernel(const char* name, int type, KernelLaunch launch);
/// Throws DeviceError with the runtime's words for what is wrong; `stays`: the device has failed,
/// and perhaps in work that was queued before. Whoever runs the kernel adds the operator's name.
[[noreturn]] void launch_failed(const char* words, bool stays);

}  // namespace notape
