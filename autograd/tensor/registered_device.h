// Whether a device's library is in the process, without loading it.
#pragma once
#include "autograd/tensor/device.h"

namespace notape {

/// One load; true from the first use of such a device on, whether or not there is one.
bool is_device_registered(DeviceType type) noexcept;

}  // namespace notape
