// The operators of ops/conv.h, ops/pooling.h and ops/vision.h.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

using Number = std::optional<double>;
using Place = std::optional<Integer>;
using Stride1 = std::optional<Integer>;
using Stride2 = Optional<Pair>;
using Stride3 = Optional<Triple>;

void add_convolutions(Calls& calls) {
  calls.of<T, T, T, Integer, Integer, Integer, Integer>()("conv1d", conv1d);
  calls.of<T, T, T, Pair, Pair, Pair, Integer>()("conv2d", conv2d);
  calls.of<T, T, T, Triple, Triple, Triple, Integer>()("conv3d", conv3d);
  calls.of<T, T, T, Integer, Integer, Integer, Integer, Integer>()("conv_transpose1d",
                                                                   conv_transpose1d);
  calls.of<T, T, T, Pair, Pair, Pair, Integer, Pair>()("conv_transpose2d", conv_transpose2d);
  calls.of<T, Pair, Pair, Pair, Pair>()("im2col", im2col);
  calls.of<T, Pair, Pair, Pair, Pair, Pair>()("col2im", col2im);
}

void add_pools(Calls& calls) {
  calls.of<T, Integer, Stride1, Integer, Integer, bool>()("max_pool1d", max_pool1d)(
      "max_pool1d_with_indices", max_pool1d_with_indices);
  calls.of<T, Pair, Stride2, Pair, Pair, bool>()("max_pool2d", max_pool2d)(
      "max_pool2d_with_indices", max_pool2d_with_indices);
  calls.of<T, Triple, Stride3, Triple, Triple, bool>()("max_pool3d", max_pool3d)(
      "max_pool3d_with_indices", max_pool3d_with_indices);
  calls.of<T, Integer>()("adaptive_max_pool1d", adaptive_max_pool1d)("adaptive_avg_pool1d",
                                                                     adaptive_avg_pool1d);
  calls.of<T, Pair>()("adaptive_max_pool2d", adaptive_max_pool2d)("adaptive_avg_pool2d",
                                                                  adaptive_avg_pool2d);
  calls.of<T, Triple>()("adaptive_avg_pool3d", adaptive_avg_pool3d);
  calls.of<T, Integer, Stride1, Integer, bool, bool>()("avg_pool1d", avg_pool1d);
  calls.of<T, Pair, Stride2, Pair, bool, bool, Place>()("avg_pool2d", avg_pool2d);
  calls.of<T, Triple, Stride3, Triple, bool, bool, Place>()("avg_pool3d", avg_pool3d);
}

void add_images(Calls& calls) {
  calls.of<T, IntArrayRef, Scalar>()("constant_pad_nd", constant_pad_nd);
  calls.of<T, IntArrayRef, std::string_view, Number>()("pad", pad);
  calls.of<T, IntArrayRef>()("reflection_pad1d", reflection_pad1d)(
      "reflection_pad2d", reflection_pad2d)("reflection_pad3d", reflection_pad3d)(
      "replication_pad1d", replication_pad1d)("replication_pad2d", replication_pad2d)(
      "replication_pad3d", replication_pad3d);
  calls.of<T, Integer, Number>()("upsample_nearest1d", upsample_nearest1d);
  calls.of<T, Pair, Number, Number>()("upsample_nearest2d", upsample_nearest2d);
  calls.of<T, Integer, bool, Number>()("upsample_linear1d", upsample_linear1d);
  calls.of<T, Pair, bool, Number, Number>()("upsample_bilinear2d", upsample_bilinear2d)(
      "upsample_bicubic2d", upsample_bicubic2d);
  calls.of<T, std::optional<std::vector<int64_t>>, std::optional<std::vector<double>>,
           std::string_view, std::optional<bool>, bool>()("interpolate", interpolate);
  calls.of<T, IntArrayRef, bool>()("affine_grid_generator", affine_grid_generator);
  calls.of<T, Integer>()("pixel_shuffle", pixel_shuffle)("pixel_unshuffle", pixel_unshuffle);
}

}  // namespace

void add_windows(Calls& calls) {
  add_convolutions(calls);
  add_pools(calls);
  add_images(calls);
}

}  // namespace notape::against_torch
