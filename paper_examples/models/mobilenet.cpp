#include "paper_examples/models/mobilenet.h"

#include <algorithm>

#include "ops/ops.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/linear.h"

namespace notape::models {
namespace {

struct MobileNetStage {
  int64_t expansion, channels, blocks, stride;  // stride of the first block
};
constexpr MobileNetStage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                      {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

/// The nearest multiple of 8, and no more than a tenth below.
int64_t rounded(int64_t channels, double factor) {
  const double wanted = static_cast<double>(channels) * factor;
  const int64_t near = std::max<int64_t>(8, static_cast<int64_t>(wanted + 4) / 8 * 8);
  return static_cast<double>(near) < 0.9 * wanted ? near + 8 : near;
}

nn::Sequential conv_bn_relu(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1,
                            int64_t groups = 1) {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(in, out, kernel)
                                       .stride(stride)
                                       .padding(kernel / 2)
                                       .groups(groups)
                                       .bias(false)),
                        nn::BatchNorm2d(out), nn::ReLU6(true));
}

}  // namespace

InvertedResidualImpl::InvertedResidualImpl(int64_t in, int64_t out, int64_t stride,
                                           int64_t expansion)
    : conv(register_module("conv", nn::Sequential())), adds_input(stride == 1 && in == out) {
  const int64_t wide = in * expansion;
  if (expansion != 1) conv->push_back(conv_bn_relu(in, wide, 1));
  conv->push_back(conv_bn_relu(wide, wide, 3, stride, wide));
  conv->push_back(nn::Conv2d(nn::Conv2dOptions(wide, out, 1).bias(false)));
  conv->push_back(nn::BatchNorm2d(out));
}

Tensor InvertedResidualImpl::forward(const Tensor& x) const {
  return adds_input ? x + conv(x) : conv(x);
}

MobileNetV2Impl::MobileNetV2Impl(const ImageModelOptions& o)
    : features(register_module("features", nn::Sequential())) {
  check("MobileNetV2", o);
  int64_t in = rounded(32, o.width_mult());
  features->push_back(conv_bn_relu(3, in, 3, 2));
  for (const MobileNetStage& stage : kStages) {
    const int64_t out = rounded(stage.channels, o.width_mult());
    for (int64_t i = 0; i < stage.blocks; ++i) {
      features->push_back(nn::AnyModule(std::make_shared<InvertedResidualImpl>(
          in, out, i == 0 ? stage.stride : 1, stage.expansion)));
      in = out;
    }
  }
  const int64_t last = rounded(1280, std::max(1.0, o.width_mult()));
  features->push_back(conv_bn_relu(in, last, 1));
  classifier = register_module(
      "classifier", nn::Sequential(nn::Dropout(o.dropout(0.2)), nn::Linear(last, o.num_classes())));
  init_convolutions(*this);
  init_linear(*this);
}

Tensor MobileNetV2Impl::forward(const Tensor& images) const {
  return classifier(features(images).mean({2, 3}));
}

}  // namespace notape::models
