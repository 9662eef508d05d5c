// The driver interface over the CUDA runtime.
#pragma once
#include "cuda/runtime/driver.h"

namespace notape::cuda {

/// Lives as long as the process.
Driver& runtime_driver();

}  // namespace notape::cuda
