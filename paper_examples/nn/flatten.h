// Flatten: dimensions joined into one; of (N, C, H, W) the default makes (N, C H W).
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::nn {

class FlattenOptions {
 public:
  FlattenOptions& start_dim(Integer dim) { return start_dim_ = dim, *this; }
  FlattenOptions& end_dim(Integer dim) { return end_dim_ = dim, *this; }
  int64_t start_dim() const { return start_dim_; }
  int64_t end_dim() const { return end_dim_; }

 private:
  int64_t start_dim_ = 1, end_dim_ = -1;
};

struct FlattenImpl : OptionsModule<FlattenOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
};

using Flatten = ModuleHolder<FlattenImpl>;

}  // namespace notape::nn
