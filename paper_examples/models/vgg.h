// VGG-19: configuration E, sixteen convolutions and three linear layers. (Simonyan and Zisserman
// 2015)
#pragma once
#include "paper_examples/models/image_model.h"
#include "paper_examples/nn/pooling.h"
#include "paper_examples/nn/sequential.h"

namespace notape::models {

struct VGGImpl : nn::Module {
  /// Convolutions by He's normal over fan_out, linear layers normal(0, 0.01), biases 0. Throws
  /// ValueError for options out of their range.
  explicit VGGImpl(const ImageModelOptions& options = {});
  /// (N, 3, H, W), H and W at least 32 -> (N, num_classes)
  Tensor forward(const Tensor& images) const;

  nn::Sequential features;
  nn::AdaptiveAvgPool2d avgpool;  // to 7 x 7: nothing at 224 x 224
  nn::Sequential classifier = nullptr;
};
using VGG = nn::ModuleHolder<VGGImpl>;

/// Nineteen layers, without batch normalisation.
VGG vgg19(const ImageModelOptions& options = {});

}  // namespace notape::models
