// What models that classify images have in common. Their parameters have torchvision's names, so
// that a file of its state_dict() loads (nn/state_dict.h); sizes, (N, 3, 224, 224) -> (N, 1000),
// are those of the 2019 paper's benchmark, and other sizes of images do as well.
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::models {

class ImageModelOptions {
 public:
  ImageModelOptions(int64_t num_classes = 1000) : num_classes_(num_classes) {}
  /// All channels and hidden layers times this: small models to try things with.
  ImageModelOptions& width_mult(double factor) { return width_mult_ = factor, *this; }
  /// Of models that drop, in place of their usual probability.
  ImageModelOptions& dropout(double probability) { return dropout_ = probability, *this; }
  int64_t num_classes() const { return num_classes_; }
  double width_mult() const { return width_mult_; }
  double dropout(double usual) const { return dropout_ < 0 ? usual : dropout_; }

  /// That many, times width_mult, and at least one.
  int64_t scaled(int64_t channels) const;

 private:
  int64_t num_classes_;
  double width_mult_ = 1, dropout_ = -1;
};

/// Throws ValueError, which names the model, for options out of their range.
void check(const char* model, const ImageModelOptions& options);

/// Convolutions by He's normal over fan_out, their biases 0. (He et al. 2015)
void init_convolutions(nn::Module& model);
/// Linear layers normal(0, 0.01), their biases 0.
void init_linear(nn::Module& model);

}  // namespace notape::models
