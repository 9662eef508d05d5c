// Strided, converting copies within a GPU.
#pragma once
#include "autograd/tensor/scalar_type.h"
#include "ops/elementwise/plan.h"

namespace notape::cuda {

/// data[0] has type `target`, data[1] type `source`; both on the stream's device.
void launch_copy(const ElementwisePlan& plan, ScalarType target, ScalarType source, void* stream);

}  // namespace notape::cuda
