// Convolution and pooling over images (N, C, H, W). Not members of Tensor. All throw
// UndefinedTensor, DeviceError and NoKernel.
#pragma once
#include <array>
#include <optional>
#include <tuple>

#include "ops/at.h"

namespace notape {

/// A size per spatial dimension, from one number or two.
struct Pair : std::array<int64_t, 2> {
  Pair(int64_t both) : std::array<int64_t, 2>{both, both} {}
  Pair(int64_t height, int64_t width) : std::array<int64_t, 2>{height, width} {}
  Pair(std::initializer_list<int64_t> list);  ///< one or two numbers, else ValueError
};

/// input (N, C, H, W) or (C, H, W), weight (O, C / groups, kH, kW), bias (O) or undefined
/// -> (N, O, H', W') or (O, H', W') with H' = (H + 2 padding - dilation (kH - 1) - 1) / stride + 1,
/// rounded down, W' likewise. Cross-correlation with zeros around the image, as in LibTorch:
///   y[n, o, i, j] = bias[o] + sum over c, k, l of weight[o, c, k, l] input[n, g + c, h, w],
///   h = i stride - padding + k dilation, w likewise, g the first channel of o's group.
/// Derivatives by all three, of every order. All of one dtype (DtypeError), which may be integer.
/// Throws ShapeError, or ValueError for a parameter: stride, dilation or groups below 1, padding
/// below 0.
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {}, Pair stride = 1,
              Pair padding = 0, Pair dilation = 1, int64_t groups = 1, At at = At::current());
/// Largest value of each window, (N, C, H, W) -> (N, C, H', W') or both without N, with H' as for
/// conv2d; with ceil_mode rounded up, if the last window begins inside the image or its left
/// padding. The gradient goes to the first position of the largest. NaN is the largest of all (of
/// several the first; LibTorch: the last), padding counts as -inf and is at most half the kernel.
/// stride defaults to kernel_size. Only N may be 0. Throws ShapeError, also for a result without
/// elements, or ValueError for a parameter; bool: NoKernel.
Tensor max_pool2d(const Tensor& self, Pair kernel_size, std::optional<Pair> stride = {},
                  Pair padding = 0, Pair dilation = 1, bool ceil_mode = false,
                  At at = At::current());
/// The same with the flat position (h W + w) of each maximum as int64, -1 where a window is all
/// padding.
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, Pair kernel_size,
                                                   std::optional<Pair> stride = {},
                                                   Pair padding = 0, Pair dilation = 1,
                                                   bool ceil_mode = false, At at = At::current());

}  // namespace notape
