#include "paper_examples/models/image_model.h"

#include <algorithm>
#include <cmath>

#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/init.h"
#include "paper_examples/nn/linear.h"

namespace notape::models {

int64_t ImageModelOptions::scaled(int64_t channels) const {
  return std::max<int64_t>(1, std::llround(static_cast<double>(channels) * width_mult_));
}

void check(const char* model, const ImageModelOptions& options) {
  if (options.num_classes() < 1 || !(options.width_mult() > 0 && options.width_mult() < 1e6))
    throw ValueError(
        "{}: num_classes {} and width_mult {} have to be above 0, and width_mult is "
        "below a million",
        model, options.num_classes(), options.width_mult());
}

void init_convolutions(nn::Module& model) {
  model.apply([](nn::Module& module) {
    const auto* conv = module.as<nn::Conv2d>();
    if (conv == nullptr) return;
    nn::init::kaiming_normal_(conv->weight, 0, nn::init::FanMode::FanOut,
                              nn::init::Nonlinearity::ReLU);
    if (conv->bias.defined()) nn::init::zeros_(conv->bias);
  });
}

void init_linear(nn::Module& model) {
  model.apply([](nn::Module& module) {
    const auto* linear = module.as<nn::Linear>();
    if (linear == nullptr) return;
    nn::init::normal_(linear->weight, 0, 0.01);
    if (linear->bias.defined()) nn::init::zeros_(linear->bias);
  });
}

}  // namespace notape::models
