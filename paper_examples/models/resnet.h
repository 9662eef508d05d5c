// ResNet-18 and ResNet-50: blocks whose input is added to their output. (He et al. 2016; a block
// that halves the image does so in its 3 x 3 convolution, "v1.5", as in torchvision)
#pragma once
#include <array>

#include "paper_examples/models/image_model.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/pooling.h"
#include "paper_examples/nn/sequential.h"

namespace notape::models {

/// relu(bn2(conv2(relu(bn1(conv1(x))))) + x), both 3 x 3.
struct BasicBlockImpl : nn::Module {
  static constexpr int64_t kExpansion = 1;
  BasicBlockImpl(int64_t in, int64_t width, int64_t stride);
  /// (N, in, H, W) -> (N, width, H / stride, W / stride), rounded up
  Tensor forward(const Tensor& x) const;

  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::ReLU relu;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Sequential downsample;  // 1 x 1 and bn, of x where its shape differs; else empty
};

/// The same of 1 x 1, 3 x 3 and 1 x 1, the last to four times the width.
struct BottleneckImpl : nn::Module {
  static constexpr int64_t kExpansion = 4;
  BottleneckImpl(int64_t in, int64_t width, int64_t stride);
  /// (N, in, H, W) -> (N, 4 width, H / stride, W / stride), rounded up
  Tensor forward(const Tensor& x) const;

  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Conv2d conv3;
  nn::BatchNorm2d bn3;
  nn::ReLU relu;
  nn::Sequential downsample;
};

struct ResNetImpl : nn::Module {
  enum class Block { Basic, Bottleneck };
  /// As many blocks in each of four stages. Convolutions by He's normal over fan_out, fc by its own
  /// initial values. Throws ValueError for options out of their range.
  ResNetImpl(Block block, std::array<int64_t, 4> blocks, const ImageModelOptions& options = {});
  /// (N, 3, H, W) -> (N, num_classes)
  Tensor forward(const Tensor& images) const;

  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::ReLU relu;
  nn::MaxPool2d maxpool;
  nn::Sequential layer1 = nullptr, layer2 = nullptr, layer3 = nullptr, layer4 = nullptr;
  nn::Linear fc = nullptr;
};
using ResNet = nn::ModuleHolder<ResNetImpl>;

/// Basic blocks, 2, 2, 2, 2.
ResNet resnet18(const ImageModelOptions& options = {});
/// Bottlenecks, 3, 4, 6, 3.
ResNet resnet50(const ImageModelOptions& options = {});

}  // namespace notape::models
