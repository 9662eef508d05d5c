#include "paper_examples/models/vgg.h"

#include "ops/shape.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/linear.h"

namespace notape::models {
namespace {

struct VGGStage {
  int64_t convolutions, channels;
};
/// Each ends in a pool that halves height and width.
constexpr VGGStage kConfigurationE[] = {{2, 64}, {2, 128}, {4, 256}, {4, 512}, {4, 512}};

}  // namespace

VGGImpl::VGGImpl(const ImageModelOptions& o)
    : features(register_module("features", nn::Sequential())), avgpool(Pair(7)) {
  check("VGG", o);
  const nn::ReLU relu(true);
  int64_t in = 3, place = 0;  // relu has a number of its own, as in torchvision's names
  for (const VGGStage& stage : kConfigurationE) {
    const int64_t out = o.scaled(stage.channels);
    for (int64_t i = 0; i < stage.convolutions; ++i) {
      features->push_back(std::to_string(place),
                          nn::ConvReLU2d(nn::Conv2dOptions(in, out, 3).padding(1)));
      place += 2;
      in = out;
    }
    features->push_back(std::to_string(place++), nn::MaxPool2d(2));
  }
  register_module("avgpool", avgpool);
  const nn::Dropout drop(o.dropout(0.5));
  const int64_t hidden = o.scaled(4096);
  classifier =
      register_module("classifier", nn::Sequential(nn::Linear(in * 7 * 7, hidden), relu, drop,
                                                   nn::Linear(hidden, hidden), relu, drop,
                                                   nn::Linear(hidden, o.num_classes())));
  init_convolutions(*this);
  init_linear(*this);
}

Tensor VGGImpl::forward(const Tensor& images) const {
  return classifier(avgpool(features(images)).flatten(1));
}

VGG vgg19(const ImageModelOptions& options) { return VGG(options); }

}  // namespace notape::models
