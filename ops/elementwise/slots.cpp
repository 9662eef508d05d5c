#include <cstring>

#include "autograd/error.h"
#include "ops/elementwise/kernel.h"
#include "ops/elementwise/register_cuda.h"

namespace notape {
namespace {

ElementwiseSlots*& head() {
  static ElementwiseSlots* first = nullptr;
  return first;
}

}  // namespace

ElementwiseSlots::ElementwiseSlots(const char* name, const ElementwiseTraits& traits,
                                   const char* bool_error)
    : name_(name), traits_(traits), bool_error_(bool_error), next_(head()) {
  head() = this;
}

const ElementwiseSlots* ElementwiseSlots::first() { return head(); }

bool ElementwiseSlots::implement_cuda(const char* name, ScalarType type, ElementwiseLaunch launch) {
  bool found = false;
  for (ElementwiseSlots* slots = head(); slots; slots = slots->next_) {
    if (std::strcmp(slots->name_, name) != 0) continue;
    slots->cuda_[static_cast<int>(type)] = launch;
    found = true;
  }
  return found;
}

void register_cuda_elementwise(const char* name, int type, ElementwiseLaunch launch) {
  ElementwiseSlots::implement_cuda(name, static_cast<ScalarType>(type), launch);
}

void check_launch(int status) {
  if (status != 0) throw DeviceError("a CUDA kernel could not be launched: error {}", status);
}

}  // namespace notape
