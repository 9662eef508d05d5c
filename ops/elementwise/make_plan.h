// From tensors to an ElementwisePlan.
#pragma once
#include "ops/elementwise/plan.h"

namespace notape {

class Tensor;

/// Fills `plan` for an output and inputs that broadcast to its shape. Dimensions are ordered by the
/// strides of operand `order_by` (0: the output).
void make_plan(ElementwisePlan& plan, const Tensor& output, const Tensor* const* inputs, int count,
               int order_by = 0);

}  // namespace notape
