// The kernels of this library that are not elementwise, as libnotape's slots take them.
#pragma once
#include "autograd/tensor/scalar_type.h"
#include "ops/elementwise/plan.h"

namespace notape {

class Operation;
class Tensor;
struct GemmCall;

namespace cuda {

/// Element by element, any strides, with conversion.
void copy_on_cuda(const ElementwisePlan& plan, ScalarType target, ScalarType source, void* stream);
/// By cuBLAS; floating types only.
void gemm_on_cuda(const Operation& op, const GemmCall& call);
/// Floating values are accumulated in double, in the same order each time.
void sum_rows_on_cuda(const Operation& op, const Tensor& result, const Tensor& rows, int64_t count,
                      double divisor);

}  // namespace cuda
}  // namespace notape
