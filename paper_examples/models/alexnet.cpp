#include "paper_examples/models/alexnet.h"

#include "ops/shape.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/linear.h"

namespace notape::models {

AlexNetImpl::AlexNetImpl(const ImageModelOptions& o) : avgpool(Pair(6)) {
  check("AlexNet", o);
  const auto conv = [&](int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
    return nn::ConvReLU2d(
        nn::Conv2dOptions(in, o.scaled(out), kernel).stride(stride).padding(padding));
  };
  const nn::MaxPool2d pool(nn::MaxPool2dOptions(3).stride(2));
  const nn::ReLU relu(true);
  // relu has a number of its own, as in torchvision's names.
  features = register_module("features", nn::Sequential({{"0", conv(3, 64, 11, 4, 2)},
                                                         {"2", pool},
                                                         {"3", conv(o.scaled(64), 192, 5, 1, 2)},
                                                         {"5", pool},
                                                         {"6", conv(o.scaled(192), 384, 3, 1, 1)},
                                                         {"8", conv(o.scaled(384), 256, 3, 1, 1)},
                                                         {"10", conv(o.scaled(256), 256, 3, 1, 1)},
                                                         {"12", pool}}));
  register_module("avgpool", avgpool);
  const nn::Dropout drop(o.dropout(0.5));
  const int64_t hidden = o.scaled(4096);
  classifier =
      register_module("classifier", nn::Sequential(drop, nn::Linear(o.scaled(256) * 6 * 6, hidden),
                                                   relu, drop, nn::Linear(hidden, hidden), relu,
                                                   nn::Linear(hidden, o.num_classes())));
}

Tensor AlexNetImpl::forward(const Tensor& images) const {
  return classifier(avgpool(features(images)).flatten(1));
}

}  // namespace notape::models
