// Products of 16-bit matrices, whose factors are copied first, panel by panel, into the order in
// which tiles of the result read them. As in Goto and van de Geijn, Anatomy of High-Performance
// Matrix Multiplication (2008).
#pragma once
#include "ops/cpu/panel_kernel.h"
#include "ops/linalg/gemm.h"

namespace notape {

/// result = alpha a b + beta result on this thread, for matrices of T with any strides. Products
/// are added up as floats and rounded once, at the end. The bits of an element depend on its row,
/// its column and the kernel, not on which part of a product this is.
template <typename T>
void packed_gemm(const PanelKernel<T>& kernel, const Matrix& result, const Matrix& a,
                 const Matrix& b, float alpha, float beta);
extern template void packed_gemm(const PanelKernel<Half>&, const Matrix&, const Matrix&,
                                 const Matrix&, float, float);
extern template void packed_gemm(const PanelKernel<BFloat16>&, const Matrix&, const Matrix&,
                                 const Matrix&, float, float);

}  // namespace notape
