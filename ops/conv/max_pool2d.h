// Max pooling picks one pixel per window. Given the picks (flat positions h W + w in each plane),
// its derivative is to gather pixels at them, and the derivative of that is to scatter values to
// them.
#pragma once
#include "ops/conv.h"
#include "ops/core/kernel_slot.h"

namespace notape {

struct MaxPool2dProblem {
  int64_t planes = 1, height = 0, width = 0, rows = 0, columns = 0;  // pixels, then windows
  Pair kernel = 1, stride = 1, padding = 0, dilation = 1;

  /// For a batch of that many images in front.
  MaxPool2dProblem behind_batch(int64_t size) const {
    MaxPool2dProblem all = *this;
    all.planes *= size;
    return all;
  }
};

/// (..., H, W) -> (..., H', W'): the picked pixel of each window.
Tensor max_pool2d_gather(const Tensor& image, const Tensor& indices,
                         const MaxPool2dProblem& problem, At at = At::current());
/// (..., H', W') -> (..., H, W): each value added to its window's picked pixel.
Tensor max_pool2d_scatter(const Tensor& values, const Tensor& indices,
                          const MaxPool2dProblem& problem, At at = At::current());

/// All tensors row-major. In a window, NaN is larger than any number and the first of equals wins.
/// A window of padding alone (dilation larger than the image) is -inf with index -1: it picks
/// nothing, gathers 0 and scatters nowhere.
using MaxPool2dKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& indices,
                                    const Tensor& image, const MaxPool2dProblem&)>;
using MaxPool2dPickKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& source, const Tensor& indices,
                const MaxPool2dProblem&)>;
extern MaxPool2dKernel max_pool2d_kernel;
extern MaxPool2dPickKernel max_pool2d_gather_kernel;
extern MaxPool2dPickKernel max_pool2d_scatter_kernel;

}  // namespace notape
