#include "cuda/cudnn/handle.h"

#include <map>
#include <mutex>
#include <vector>

#include "autograd/tensor/device_interface.h"

namespace notape::cuda {
namespace {

std::mutex idle_lock;

/// Handles that nobody uses. They are never destroyed: at the end of the process the driver may be
/// gone before them.
std::vector<cudnnHandle_t>& idle_handles(int device) {
  static auto* const all = new std::map<int, std::vector<cudnnHandle_t>>;
  return (*all)[device];
}

}  // namespace

void check(const Operation& op, cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  char details[512] = "";
  cudnnGetLastErrorString(details, sizeof details);
  op.fail<DeviceError>("cuDNN: {}{}{}", cudnnGetErrorString(status), details[0] ? ": " : "",
                       details);
}

Handle::Handle(const Operation& op, Device device) : device_(device.index) {
  // Also makes the device the one that the thread works with.
  void* const stream = device_interface(device).current_stream(device_);
  {
    const std::lock_guard guard(idle_lock);
    std::vector<cudnnHandle_t>& idle = idle_handles(device_);
    if (!idle.empty()) {
      native_ = idle.back();
      idle.pop_back();
    }
  }
  if (!native_) check(op, cudnnCreate(&native_));
  check(op, cudnnSetStream(native_, static_cast<cudaStream_t>(stream)));
}

Handle::~Handle() {
  const std::lock_guard guard(idle_lock);
  idle_handles(device_).push_back(native_);
}

}  // namespace notape::cuda
