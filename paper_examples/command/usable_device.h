#pragma once
#include <string>

#include "autograd/tensor/device.h"

namespace notape::command {

/// What --device names: "cpu", "cuda", "cuda:1" or "sim", which is there from now on. Throws
/// verify::UsageError for other words and DeviceError for a device that cannot be used.
Device usable_device(const std::string& text);

}  // namespace notape::command
