// The windows of images as one strided view of them.
#pragma once
#include <algorithm>
#include <array>

#include "autograd/tensor/factories.h"
#include "ops/conv.h"
#include "ops/core/allocate.h"
#include "ops/core/raw_copy.h"

namespace notape::cuda {

/// Windows of images (N, C, H, W) with padding, in C / groups channels each.
struct WindowGrid {
  std::array<int64_t, 2> image, kernel, count;  // heights and widths
  Pair stride = 1, padding = 0, dilation = 1;

  /// The image, its padding on the left, and what windows see beyond it.
  int64_t padded(std::size_t d) const {
    const int64_t seen = (count[d] - 1) * stride[d] + (kernel[d] - 1) * dilation[d] + 1;
    return std::max(image[d] + padding[d], seen);
  }
  bool is_padded() const { return padded(0) != image[0] || padded(1) != image[1]; }
};

/// A tensor's memory in another shape; strides count from where the tensor begins.
inline Tensor seen_as(const Tensor& tensor, const DimVector& sizes, const DimVector& strides,
                      int64_t offset = 0) {
  return raw_alias(tensor, Geometry(sizes, strides, tensor.storage_offset() + offset));
}

/// The pixels of the image in images that were padded.
inline Tensor pixels_of(const Tensor& padded, const WindowGrid& grid) {
  const auto strides = padded.strides();
  return seen_as(padded, {padded.size(0), padded.size(1), grid.image[0], grid.image[1]}, strides,
                 grid.padding[0] * strides[2] + grid.padding[1] * strides[3]);
}

/// (N, C, H, W) with `filler` around it; itself if there is no padding.
inline Tensor padded_with(const Tensor& filler, const Tensor& image, const WindowGrid& grid) {
  if (!grid.is_padded()) return image;
  const Tensor result =
      allocate(IntArrayRef({image.size(0), image.size(1), grid.padded(0), grid.padded(1)}),
               image.dtype(), image.device());
  raw_copy(result, filler);
  raw_copy(pixels_of(result, grid), image);
  return result;
}

/// (groups, C / groups, kH, kW, N, H', W') of padded images (N, C, ..): overlapping itself.
inline Tensor windows_of(const Tensor& padded, int64_t groups, const WindowGrid& grid) {
  const auto s = padded.strides();
  const int64_t channels = padded.size(1) / groups;
  return seen_as(padded,
                 {groups, channels, grid.kernel[0], grid.kernel[1], padded.size(0), grid.count[0],
                  grid.count[1]},
                 {channels * s[1], s[1], grid.dilation[0] * s[2], grid.dilation[1] * s[3], s[0],
                  grid.stride[0] * s[2], grid.stride[1] * s[3]});
}

/// One number of the type on the device, to fill with.
inline Tensor number_like(const Tensor& like, Scalar value) {
  return scalar_tensor(value, TensorOptions(like.dtype()).device(like.device()));
}

}  // namespace notape::cuda
