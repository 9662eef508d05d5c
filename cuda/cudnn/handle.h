// A cuDNN handle, which works for one thread and one stream at a time.
#pragma once
#include <cudnn.h>

#include "autograd/observer.h"
#include "autograd/tensor/device.h"

namespace notape::cuda {

/// Throws DeviceError in cuDNN's words.
void check(const Operation& op, cudnnStatus_t status);
/// cuDNN has no way to do it, and has done nothing.
inline bool is_refusal(cudnnStatus_t status) {
  return status >= CUDNN_STATUS_NOT_SUPPORTED && status < CUDNN_STATUS_INTERNAL_ERROR;
}

/// Borrows a handle of the device for a scope, for the current stream. There are as many as threads
/// that have needed one at the same time.
class Handle {
 public:
  Handle(const Operation& op, Device device);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cudnnHandle_t() const { return native_; }

 private:
  int device_;
  cudnnHandle_t native_ = nullptr;
};

}  // namespace notape::cuda
