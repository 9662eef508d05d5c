// Convolution and pooling over images (N, C, H, W).
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
/// -> (N, O, H', W') with H' = (H + 2 padding - dilation (kH - 1) - 1) / stride + 1.
/// Cross-correlation, as in LibTorch. Throws ShapeError, or ValueError for a parameter.
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {}, Pair stride = 1,
              Pair padding = 0, Pair dilation = 1, int64_t groups = 1, At at = At::current());
/// Largest value of each window; the gradient goes to its first position. NaN is the largest of
/// all, padding counts as -inf and is at most half the kernel. stride defaults to kernel_size.
/// Input (N, C, H, W) or (C, H, W); only N may be 0. Throws ShapeError, or ValueError for a
/// parameter.
Tensor max_pool2d(const Tensor& self, Pair kernel_size, std::optional<Pair> stride = {},
                  Pair padding = 0, Pair dilation = 1, bool ceil_mode = false,
                  At at = At::current());
/// The same with the flat position (h W + w) of each maximum, -1 where a window is all padding.
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, Pair kernel_size,
                                                   std::optional<Pair> stride = {},
                                                   Pair padding = 0, Pair dilation = 1,
                                                   bool ceil_mode = false, At at = At::current());

}  // namespace notape
