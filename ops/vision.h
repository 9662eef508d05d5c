// Images: padding, resizing, sampling, and moving pixels between channels. Spatial dimensions are
// the last ones. Not members of Tensor. All throw UndefinedTensor, ShapeError and NoKernel.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "ops/conv.h"

namespace notape {

/// self with pad[0] entries of `value` before and pad[1] behind along the last dimension, pad[2]
/// and pad[3] along the one before it, and so on; negative numbers take entries away. Any dtype,
/// which the value is converted to;  d/dself = 1. Throws ShapeError for an odd number of pads, more
/// than two per dimension, or a size below 0, ValueError for a value that the dtype cannot hold.
Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, Scalar value = 0,
                       At at = At::current());
/// By the mode: "constant" (constant_pad_nd), "reflect", "replicate", or "circular", which repeats
/// the entries from the other end, at most once (ValueError); these take no value (ValueError) and
/// pad the last one, two or three dimensions of (N, C, ...) or (C, ...).
Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode = "constant",
           std::optional<double> value = {}, At at = At::current());
/// Padded by the entries inside, mirrored at the first and the last, which are not repeated: pads
/// are smaller than the dimension (ShapeError). padding as for constant_pad_nd, two numbers per
/// dimension, over the last one, two or three of (N, C, ...) or (C, ...), of which only N and C may
/// be 0; what comes out has a size of at least 1. Gradients of repeated entries add up.
Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding, At at = At::current());
Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding, At at = At::current());
Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding, At at = At::current());
/// The same, padded by the first and the last entry, repeated.
Tensor replication_pad1d(const Tensor& self, IntArrayRef padding, At at = At::current());
Tensor replication_pad2d(const Tensor& self, IntArrayRef padding, At at = At::current());
Tensor replication_pad3d(const Tensor& self, IntArrayRef padding, At at = At::current());

/// (N, C, ...) -> (N, C, output_size), entry i of which is self's entry floor(i s) along each
/// dimension, s = 1 / scales or, if not given, size / output_size, in exact arithmetic (LibTorch
/// rounds s to float32, and so takes a neighbour now and then). Sizes above 0 (ShapeError); only N
/// may be 0. Any dtype but bool.
Tensor upsample_nearest1d(const Tensor& self, Integer output_size,
                          std::optional<double> scales = {}, At at = At::current());
Tensor upsample_nearest2d(const Tensor& self, Pair output_size, std::optional<double> scales_h = {},
                          std::optional<double> scales_w = {}, At at = At::current());
/// The same with linear interpolation along each dimension, at i (size - 1) / (output_size - 1)
/// with align_corners, else at max((i + 1/2) s - 1/2, 0). A neighbour whose weight is 0 is not read
/// (LibTorch: 0 times it). Weights are computed in double. Floating dtypes only (DtypeError).
Tensor upsample_linear1d(const Tensor& self, Integer output_size, bool align_corners,
                         std::optional<double> scales = {}, At at = At::current());
Tensor upsample_bilinear2d(const Tensor& self, Pair output_size, bool align_corners,
                           std::optional<double> scales_h = {}, std::optional<double> scales_w = {},
                           At at = At::current());
/// With cubic convolution (Keys, a = -3/4) of four neighbours along each dimension, the first and
/// last entry repeated beyond the ends.
Tensor upsample_bicubic2d(const Tensor& self, Pair output_size, bool align_corners,
                          std::optional<double> scales_h = {}, std::optional<double> scales_w = {},
                          At at = At::current());
/// input (N, C, ...) resized to `size`, or by factors `scale_factor` to floor(factor times size),
/// one per spatial dimension or one for all (ValueError unless exactly one of both is given), by
/// the mode: "nearest", "linear" (one spatial dimension), "bilinear" and "bicubic" (two), as
/// upsample_* does, or "area", adaptive_avg_pool (one to three). The factors are the scales unless
/// recompute_scale_factor. align_corners is for the interpolating modes alone (ValueError). An
/// unknown mode is a ValueError; a mode for other dimensions is a ShapeError. (In LibTorch a
/// function of torch::nn::functional, with these as options.)
Tensor interpolate(const Tensor& input, std::optional<std::vector<int64_t>> size = {},
                   std::optional<std::vector<double>> scale_factor = {},
                   std::string_view mode = "nearest", std::optional<bool> align_corners = {},
                   bool recompute_scale_factor = false, At at = At::current());

/// Where pixels of an image of `size` (N, C, H, W) come from under affine maps theta (N, 2, 3): (N,
/// H, W, 2), the pairs theta (x, y, 1) for pixel centres x and y between -1 and 1, which are the
/// corners' centres with align_corners and the image's edges without. Throws ShapeError, ValueError
/// for sizes below 1, DtypeError for integers.
Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners,
                             At at = At::current());

/// (.., C r^2, H, W) -> (.., C, H r, W r) with r = upscale_factor: pixel (h r + i, w r + j) is that
/// of channel c r^2 + i r + j. Throws ShapeError for fewer than three dimensions or channels that
/// r^2 does not divide, ValueError unless r > 0.
Tensor pixel_shuffle(const Tensor& self, Integer upscale_factor, At at = At::current());
/// The reverse: (.., C, H r, W r) -> (.., C r^2, H, W).
Tensor pixel_unshuffle(const Tensor& self, Integer downscale_factor, At at = At::current());

/// Entries of input (N, C, H, W) at the places grid (N, H', W', 2) names, pairs (x, y) between -1
/// and 1, which are the corners' centres with align_corners and the image's edges without: (N, C,
/// H', W'). interpolation_mode 0 bilinear, 1 nearest, 2 bicubic; padding_mode 0 zeros, 1 border, 2
/// reflection, for places outside. Derivatives by both. One floating dtype (DtypeError).
Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, Integer interpolation_mode,
                       Integer padding_mode, bool align_corners, At at = At::current());
/// The same by names: "bilinear", "nearest", "bicubic"; "zeros", "border", "reflection"
/// (ValueError).
Tensor grid_sample(const Tensor& input, const Tensor& grid, std::string_view mode = "bilinear",
                   std::string_view padding_mode = "zeros", bool align_corners = false,
                   At at = At::current());

}  // namespace notape
