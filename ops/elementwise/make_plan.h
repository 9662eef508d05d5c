// From tensors to an ElementwisePlan, and plans run on the CPU.
#pragma once
#include "ops/elementwise/kernel.h"

namespace notape {

class Tensor;

/// Fills `plan` for an output and inputs that broadcast to its shape. Dimensions are ordered by the
/// strides of operand `order_by` (0: the output).
void make_plan(ElementwisePlan& plan, const Tensor& output, const Tensor* const* inputs, int count,
               int order_by = 0);
void run_on_cpu(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor);

/// The same for a loop that computes each element of the output from those at its place alone: a
/// large plan is split over threads.
void run_split(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor);
/// One run of n > kParallelGrain elements.
void run_split(ElementwiseLoop loop, char* const* data, const int64_t* strides, int operands,
               int64_t n, const void* functor);

}  // namespace notape
