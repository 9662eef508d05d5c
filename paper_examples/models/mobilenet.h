// MobileNetV2: blocks that widen, filter each channel by itself, and narrow again. (Sandler et al.
// 2018)
#pragma once
#include "paper_examples/models/image_model.h"
#include "paper_examples/nn/sequential.h"

namespace notape::models {

/// [1 x 1 to `expansion` times the channels, bn, ReLU6 unless that is 1,] 3 x 3 of each channel,
/// bn, ReLU6, 1 x 1, bn; and x added where the shape is the same.
struct InvertedResidualImpl : nn::Module {
  InvertedResidualImpl(int64_t in, int64_t out, int64_t stride, int64_t expansion);
  /// (N, in, H, W) -> (N, out, H / stride, W / stride), rounded up
  Tensor forward(const Tensor& x) const;

  nn::Sequential conv;
  bool adds_input;
};

struct MobileNetV2Impl : nn::Module {
  /// Channels times width_mult are rounded to multiples of 8, the last 1280 are not made fewer.
  /// Convolutions by He's normal over fan_out, the classifier normal(0, 0.01). Throws ValueError
  /// for options out of their range.
  explicit MobileNetV2Impl(const ImageModelOptions& options = {});
  /// (N, 3, H, W) -> (N, num_classes)
  Tensor forward(const Tensor& images) const;

  nn::Sequential features, classifier = nullptr;
};
using MobileNetV2 = nn::ModuleHolder<MobileNetV2Impl>;

}  // namespace notape::models
