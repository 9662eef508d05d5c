// The kernels of im2col and col2im. Columns are (N, C kH kW, H' W'), images (N, C, H, W).
#pragma once
#include "ops/conv/conv2d.h"

namespace notape {

/// A convolution of one group whose filter shape says what a window is.
Conv2dProblem window_problem(const Operation& op, IntArrayRef image, Pair kernel_size,
                             Pair dilation, Pair padding, Pair stride);

/// Both tensors are row-major and of one dtype.
using Im2colKernel = Kernel<void(const Operation&, const Tensor& columns, const Tensor& image,
                                 const Conv2dProblem&)>;
extern Im2colKernel im2col_kernel;
/// Columns are added up; the image is overwritten.
using Col2imKernel = Kernel<void(const Operation&, const Tensor& image, const Tensor& columns,
                                 const Conv2dProblem&)>;
extern Col2imKernel col2im_kernel;

}  // namespace notape
