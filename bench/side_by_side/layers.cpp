// Convolutions and pooling at the sizes of ResNet-50 and MobileNetV2; the training step of the
// 2019 paper's Listing 1.
#include "bench/side_by_side/cases.h"

namespace side {
namespace {

struct Convolution {
  std::string name;
  int64_t batch, channels, size, filters, kernel, stride, groups;
};

const std::vector<Convolution> kConvolutions = {
    {"3x3 of 16x64x56x56", 16, 64, 56, 64, 3, 1, 1},
    {"3x3 of 4x256x14x14", 4, 256, 14, 256, 3, 1, 1},
    {"1x1 of 8x256x28x28 to 128", 8, 256, 28, 128, 1, 1, 1},
    {"7x7 by 2 of 4x3x112x112 to 64", 4, 3, 112, 64, 7, 2, 1},
    {"depthwise 3x3 of 8x96x28x28", 8, 96, 28, 96, 3, 1, 96},
    {"3x3 of 8x128x28x28, 32 groups", 8, 128, 28, 128, 3, 1, 32},
};

Tensor listing1(const Tensor& images, const Tensor& kernels, const Tensor& bias,
                const Tensor& weight, const Tensor& offset) {
  const Tensor hidden = library::conv2d(images, kernels, bias).relu();
  return library::linear(hidden.flatten(1), weight, offset).log_softmax(1);
}

}  // namespace

void add_layers(std::vector<Case>& cases) {
  for (const Convolution& c : kConvolutions) {
    const Tensor x = leaf({c.batch, c.channels, c.size, c.size});
    const Tensor weight = leaf({c.filters, c.channels / c.groups, c.kernel, c.kernel});
    add_pair(cases, "conv " + c.name,
             [=] { return library::conv2d(x, weight, {}, c.stride, c.kernel / 2, 1, c.groups); });
  }
  const Tensor images = leaf({16, 64, 32, 32});
  add_pair(cases, "max_pool2d 2x2 of 16x64x32x32", [=] { return library::max_pool2d(images, 2); });
  add_pair(cases, "max_pool2d 3x3 by 2 of 16x64x32x32",
           [=] { return library::max_pool2d(images, 3, 2, 1); });
  add_pair(cases, "avg_pool2d 2x2 of 16x64x32x32", [=] { return library::avg_pool2d(images, 2); });
  const Tensor digits = library::rand({64, 1, 14, 14}), kernels = leaf({16, 1, 3, 3});
  const Tensor bias = leaf({16}), weight = leaf({10, 2304}), offset = leaf({10});
  const Tensor labels = library::randint(10, {64});
  cases.push_back(
      {"2019 Listing 1, training step", [=] {
         library::nll_loss(listing1(digits, kernels, bias, weight, offset), labels).backward();
       }});
}

}  // namespace side
