// The slot through which a device library provides strided, converting copies within its device.
#pragma once
#include "autograd/tensor/scalar_type.h"
#include "ops/elementwise/plan.h"

namespace notape {

/// data[0] has type `target`, data[1] type `source`; both on the stream's device.
using CopyLaunch = void (*)(const ElementwisePlan& plan, ScalarType target, ScalarType source,
                            void* stream);
void set_cuda_copy(CopyLaunch launch);

}  // namespace notape
