// Elements of a GPU's memory that become one value.
#pragma once
#include <cstddef>
#include <cstdint>

namespace notape::cuda {

/// `bytes`: 2, 4 or 8, of each of `count` elements. Throws DeviceError.
void launch_fill(void* target, int64_t count, const void* value, std::size_t bytes, void* stream);

}  // namespace notape::cuda
