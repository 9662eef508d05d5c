#include "paper_examples/models/resnet.h"

#include "ops/ops.h"

namespace notape::models {
namespace {

nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1) {
  return nn::Conv2d(
      nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

nn::Sequential shortcut(int64_t in, int64_t out, int64_t stride) {
  if (in == out && stride == 1) return nn::Sequential();
  return nn::Sequential(conv(in, out, 1, stride), nn::BatchNorm2d(out));
}

/// Into y, which nobody saved: normalisation keeps its input.
Tensor added(Tensor y, const Tensor& x, const nn::Sequential& downsample, const nn::ReLU& relu) {
  return relu(y.add_(downsample(x)));
}

/// `in` becomes the width that comes out.
template <typename Block>
nn::Sequential stage(int64_t& in, int64_t width, int64_t blocks, int64_t stride) {
  nn::Sequential result;
  for (int64_t i = 0; i < blocks; ++i) {
    result->push_back(nn::AnyModule(std::make_shared<Block>(in, width, i == 0 ? stride : 1)));
    in = width * Block::kExpansion;
  }
  return result;
}

}  // namespace

BasicBlockImpl::BasicBlockImpl(int64_t in, int64_t width, int64_t stride)
    : conv1(register_module("conv1", conv(in, width, 3, stride))),
      bn1(register_module("bn1", nn::BatchNorm2d(width))),
      relu(register_module("relu", nn::ReLU(true))),
      conv2(register_module("conv2", conv(width, width, 3))),
      bn2(register_module("bn2", nn::BatchNorm2d(width))),
      downsample(register_module("downsample", shortcut(in, width, stride))) {}

Tensor BasicBlockImpl::forward(const Tensor& x) const {
  const Tensor y = relu(bn1(conv1(x)));
  return added(bn2(conv2(y)), x, downsample, relu);
}

BottleneckImpl::BottleneckImpl(int64_t in, int64_t width, int64_t stride)
    : conv1(register_module("conv1", conv(in, width, 1))),
      bn1(register_module("bn1", nn::BatchNorm2d(width))),
      conv2(register_module("conv2", conv(width, width, 3, stride))),
      bn2(register_module("bn2", nn::BatchNorm2d(width))),
      conv3(register_module("conv3", conv(width, width * kExpansion, 1))),
      bn3(register_module("bn3", nn::BatchNorm2d(width * kExpansion))),
      relu(register_module("relu", nn::ReLU(true))),
      downsample(register_module("downsample", shortcut(in, width * kExpansion, stride))) {}

Tensor BottleneckImpl::forward(const Tensor& x) const {
  Tensor y = relu(bn1(conv1(x)));
  y = relu(bn2(conv2(y)));
  return added(bn3(conv3(y)), x, downsample, relu);
}

ResNetImpl::ResNetImpl(Block block, std::array<int64_t, 4> blocks, const ImageModelOptions& o)
    : conv1(register_module("conv1", conv(3, (check("ResNet", o), o.scaled(64)), 7, 2))),
      bn1(register_module("bn1", nn::BatchNorm2d(o.scaled(64)))),
      relu(register_module("relu", nn::ReLU(true))),
      maxpool(
          register_module("maxpool", nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)))) {
  int64_t in = o.scaled(64);
  const auto make = [&](const char* name, int64_t width, int64_t count, int64_t stride) {
    return register_module(name, block == Block::Basic
                                     ? stage<BasicBlockImpl>(in, o.scaled(width), count, stride)
                                     : stage<BottleneckImpl>(in, o.scaled(width), count, stride));
  };
  layer1 = make("layer1", 64, blocks[0], 1);
  layer2 = make("layer2", 128, blocks[1], 2);
  layer3 = make("layer3", 256, blocks[2], 2);
  layer4 = make("layer4", 512, blocks[3], 2);
  fc = register_module("fc", nn::Linear(in, o.num_classes()));
  init_convolutions(*this);
}

Tensor ResNetImpl::forward(const Tensor& images) const {
  Tensor x = maxpool(relu(bn1(conv1(images))));
  x = layer4(layer3(layer2(layer1(x))));
  return fc(x.mean({2, 3}));
}

ResNet resnet18(const ImageModelOptions& options) {
  return ResNet(ResNetImpl::Block::Basic, std::array<int64_t, 4>{2, 2, 2, 2}, options);
}
ResNet resnet50(const ImageModelOptions& options) {
  return ResNet(ResNetImpl::Block::Bottleneck, std::array<int64_t, 4>{3, 4, 6, 3}, options);
}

}  // namespace notape::models
