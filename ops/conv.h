// Convolution and pooling over images (N, C, H, W). Not members of Tensor. All throw
// UndefinedTensor, DeviceError and NoKernel.
#pragma once
#include <array>
#include <concepts>
#include <optional>
#include <string_view>
#include <tuple>

#include "ops/at.h"

namespace notape {

/// A size per spatial dimension, from one number or two.
struct Pair : std::array<int64_t, 2> {
  template <WholeNumber T>
  Pair(T both) : Pair(both, both) {}
  Pair(Integer height, Integer width) : std::array<int64_t, 2>{height, width} {}
  Pair(std::initializer_list<Integer> list);  ///< one or two numbers, else ValueError
};

/// Sizes that may be left out, {} or nullopt. Braces are those of the sizes: {2}, {2, 1}.
template <typename Sizes>
struct Optional : std::optional<Sizes> {
  using std::optional<Sizes>::optional;
  Optional(const std::optional<Sizes>& sizes) : std::optional<Sizes>(sizes) {}
  Optional(std::initializer_list<Integer> list) : std::optional<Sizes>(std::in_place, list) {}
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
              Pair padding = 0, Pair dilation = 1, Integer groups = 1, At at = At::current());
/// relu(conv2d(...)), with its bits: relu overwrites the response, and the gradients of relu and of
/// the bias are one pass over the response's. DtypeError for integers.
Tensor conv2d_relu(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                   Pair stride = 1, Pair padding = 0, Pair dilation = 1, Integer groups = 1,
                   At at = At::current());
/// Largest value of each window, (N, C, H, W) -> (N, C, H', W') or both without N, with H' as for
/// conv2d; with ceil_mode rounded up, if the last window begins inside the image or its left
/// padding. The gradient goes to the first position of the largest. NaN is the largest of all (of
/// several the first; LibTorch: the last), padding counts as -inf and is at most half the kernel.
/// stride defaults to kernel_size. Only N may be 0. Throws ShapeError, also for a result without
/// elements, or ValueError for a parameter; bool: NoKernel.
Tensor max_pool2d(const Tensor& self, Pair kernel_size, Optional<Pair> stride = {},
                  Pair padding = 0, Pair dilation = 1, bool ceil_mode = false,
                  At at = At::current());
/// The same with the flat position (h W + w) of each maximum as int64, -1 where a window is all
/// padding.
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, Pair kernel_size,
                                                   Optional<Pair> stride = {}, Pair padding = 0,
                                                   Pair dilation = 1, bool ceil_mode = false,
                                                   At at = At::current());

/// A size per spatial dimension, from one number or three.
struct Triple : std::array<int64_t, 3> {
  template <WholeNumber T>
  Triple(T all) : Triple(all, all, all) {}
  Triple(Integer depth, Integer height, Integer width)
      : std::array<int64_t, 3>{depth, height, width} {}
  Triple(std::initializer_list<Integer> list);  ///< one or three numbers, else ValueError
};

/// conv2d of sequences: input (N, C, L) or (C, L), weight (O, C / groups, k), bias (O) or undefined
/// -> (N, O, L') or (O, L').
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              Integer stride = 1, Integer padding = 0, Integer dilation = 1, Integer groups = 1,
              At at = At::current());
/// conv2d of volumes: input (N, C, D, H, W) or (C, D, H, W), weight (O, C / groups, kD, kH, kW).
/// Made of conv2d, over images whose channels are those of the kD planes that meet a position.
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {}, Triple stride = 1,
              Triple padding = 0, Triple dilation = 1, Integer groups = 1, At at = At::current());
/// The transpose of conv2d by its image: input (N, C, H, W) or (C, H, W), weight (C, O / groups,
/// kH, kW), bias (O) or undefined -> (N, O, H', W') or (O, H', W') with H' = (H - 1) stride - 2
/// padding + dilation (kH - 1) + output_padding + 1. Derivatives of every order. Errors as for
/// conv2d, and ValueError unless 0 <= output_padding < stride or dilation.
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        Pair stride = 1, Pair padding = 0, Pair output_padding = 0,
                        Integer groups = 1, Pair dilation = 1, At at = At::current());
/// The same of sequences: input (N, C, L) or (C, L), weight (C, O / groups, k).
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        Integer stride = 1, Integer padding = 0, Integer output_padding = 0,
                        Integer groups = 1, Integer dilation = 1, At at = At::current());
/// The windows that a convolution looks at, as columns: (N, C, H, W) -> (N, C kH kW, H' W'), or
/// both without N; H' as for conv2d. LibTorch's nn.functional.unfold.
Tensor im2col(const Tensor& self, Pair kernel_size, Pair dilation, Pair padding, Pair stride,
              At at = At::current());
/// The transpose: columns added up where they came from, (N, C kH kW, H' W') -> (N, C, H, W) with
/// output_size (H, W). LibTorch's nn.functional.fold.
Tensor col2im(const Tensor& self, Pair output_size, Pair kernel_size, Pair dilation, Pair padding,
              Pair stride, At at = At::current());

/// The same of volumes: input (N, C, D, H, W) or (C, D, H, W), weight (C, O / groups, kD, kH, kW).
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        Triple stride = 1, Triple padding = 0, Triple output_padding = 0,
                        Integer groups = 1, Triple dilation = 1, At at = At::current());

/// Padding by name: "valid" is none, "same" makes the result as large as the input, with stride 1
/// (ValueError), one more zero behind than in front where it does not come out even. Another name
/// is a ValueError.
struct PaddingName {
  template <std::convertible_to<std::string_view> Text>
  requires(!std::convertible_to<Text, int64_t>) PaddingName(const Text& text) : name(text) {}
  std::string_view name;
};
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, Integer stride,
              PaddingName padding, Integer dilation = 1, Integer groups = 1, At at = At::current());
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, Pair stride,
              PaddingName padding, Pair dilation = 1, Integer groups = 1, At at = At::current());
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias, Triple stride,
              PaddingName padding, Triple dilation = 1, Integer groups = 1, At at = At::current());

}  // namespace notape
