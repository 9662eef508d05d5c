// Tables that kernels read.
#pragma once
#include <algorithm>
#include <vector>

#include "ops/core/allocate.h"
#include "ops/index/indirect.h"

namespace notape::cuda {

/// Numbers in memory of the device, which are on their way when it returns.
inline Tensor table_on(const std::vector<int64_t>& numbers, Device device) {
  const Tensor here = allocate(IntArrayRef(static_cast<int64_t>(numbers.size())), kInt64, kCPU);
  std::copy(numbers.begin(), numbers.end(), here.impl().data_as<int64_t>());
  return raw_on_device(here, device);
}

}  // namespace notape::cuda
