// How the CUDA pass of an operator's file reaches the slots without seeing the tensor headers.
#pragma once
#include <type_traits>
#include <utility>

#include "ops/elementwise/plan.h"

namespace notape {

/// `type` is the position in ScalarType. A name without kernel is ignored.
void register_cuda_elementwise(const char* name, int type,
                               void (*launch)(const ElementwisePlan&, const void*, void*));
/// Throws DeviceError if `status`, a cudaError_t, is not success.
void check_launch(int status);

}  // namespace notape
