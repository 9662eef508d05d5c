#include "ops/core/kernel_by_name.h"

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

void launch_failed(const char* words) {
  throw DeviceError("CUDA: a kernel could not be launched: {}", words);
}

}  // namespace notape
