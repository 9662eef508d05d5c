#include "ops/core/kernel_by_name.h"

#include <cstdlib>
#include <cstring>

#include "autograd/error.h"

namespace notape {
namespace {

KernelByName*& head() {
  static KernelByName* first = nullptr;
  return first;
}

}  // namespace

KernelByName::KernelByName(const char* name, TypeSet types)
    : name_(name), types_(types), next_(head()) {
  head() = this;
}

const KernelByName* KernelByName::first() { return head(); }

bool KernelByName::implement_cuda(const char* name, ScalarType type, KernelLaunch launch) {
  bool found = false;
  for (KernelByName* kernel = head(); kernel; kernel = kernel->next_) {
    if (std::strcmp(kernel->name_, name) != 0) continue;
    kernel->cuda_[static_cast<int>(type)] = launch;
    found = true;
  }
  return found;
}

void register_cuda_kernel(const char* name, int type, KernelLaunch launch) {
  KernelByName::implement_cuda(name, static_cast<ScalarType>(type), launch);
}

void launch_failed(const char* words, bool stays) {
  const char* const blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (blocking && *blocking != '0') throw DeviceError("CUDA: a kernel failed: {}", words);
  throw DeviceError("CUDA: a kernel could not be launched: {}{}", words,
                    stays ? ". That may be of any work queued before: with CUDA_LAUNCH_BLOCKING=1 "
                            "in the environment each operator waits for its own, and is named"
                          : "");
}

}  // namespace notape
