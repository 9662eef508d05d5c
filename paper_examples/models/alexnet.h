// AlexNet in one tower, without local response normalisation. (Krizhevsky 2014, torchvision)
#pragma once
#include "paper_examples/models/image_model.h"
#include "paper_examples/nn/pooling.h"
#include "paper_examples/nn/sequential.h"

namespace notape::models {

struct AlexNetImpl : nn::Module {
  /// Initial values are the layers' own. Throws ValueError for options out of their range.
  explicit AlexNetImpl(const ImageModelOptions& options = {});
  /// (N, 3, H, W), H and W at least 63 -> (N, num_classes)
  Tensor forward(const Tensor& images) const;

  nn::Sequential features = nullptr;
  nn::AdaptiveAvgPool2d avgpool;  // to 6 x 6: nothing at 224 x 224
  nn::Sequential classifier = nullptr;
};
using AlexNet = nn::ModuleHolder<AlexNetImpl>;

}  // namespace notape::models
