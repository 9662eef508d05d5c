// Plans run on the CPU.
#pragma once
#include "ops/elementwise/kernel.h"

namespace notape {

void run_on_cpu(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor);

/// The same for a loop that computes each element of the output from those at its place alone: a
/// large plan is split over threads.
void run_split(ElementwiseLoop loop, const ElementwisePlan& plan, const void* functor);
/// One run of n > kParallelGrain elements.
void run_split(ElementwiseLoop loop, char* const* data, const int64_t* strides, int operands,
               int64_t n, const void* functor);

}  // namespace notape
