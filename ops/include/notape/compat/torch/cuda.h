#pragma once

/// Namespace torch::cuda: which GPUs can be used.

#include "notape/notape.h"

namespace torch::cuda {

inline std::size_t device_count() {
  return static_cast<std::size_t>(notape::device_count(notape::kCUDA));
}
inline bool is_available() { return device_count() > 0; }
/// Waits for everything queued on the device (-1: the first). Throws DeviceError.
inline void synchronize(int64_t device_index = -1) {
  const int index = device_index < 0 ? 0 : static_cast<int>(device_index);
  notape::device_interface({notape::kCUDA, index}).synchronize(index);
}

}  // namespace torch::cuda
