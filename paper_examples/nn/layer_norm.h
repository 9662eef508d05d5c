// LayerNorm and GroupNorm: mean 0 and variance 1 over the last dimensions of each entry, or over
// groups of channels, whatever the batch; then scaled by weight and shifted by bias. (Ba et al.
// 2016, Wu and He 2018)
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::nn {

class LayerNormOptions {
 public:
  /// The sizes of the last dimensions.
  LayerNormOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  LayerNormOptions& eps(double value) { return eps_ = value, *this; }
  LayerNormOptions& elementwise_affine(bool on) { return elementwise_affine_ = on, *this; }
  const std::vector<int64_t>& normalized_shape() const { return normalized_shape_; }
  double eps() const { return eps_; }
  bool elementwise_affine() const { return elementwise_affine_; }

 private:
  std::vector<int64_t> normalized_shape_;
  double eps_ = 1e-5;
  bool elementwise_affine_ = true;
};

struct LayerNormImpl : Module {
  explicit LayerNormImpl(const LayerNormOptions& options);
  explicit LayerNormImpl(std::vector<int64_t> normalized_shape)
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  /// (.., normalized_shape...), of the same size
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;

  LayerNormOptions options;
  Tensor weight, bias;  // (normalized_shape...), 1 and 0, or undefined
};

class GroupNormOptions {
 public:
  GroupNormOptions(Integer num_groups, Integer num_channels)
      : num_groups_(num_groups), num_channels_(num_channels) {}
  GroupNormOptions& eps(double value) { return eps_ = value, *this; }
  GroupNormOptions& affine(bool on) { return affine_ = on, *this; }
  int64_t num_groups() const { return num_groups_; }
  int64_t num_channels() const { return num_channels_; }
  double eps() const { return eps_; }
  bool affine() const { return affine_; }

 private:
  int64_t num_groups_, num_channels_;
  double eps_ = 1e-5;
  bool affine_ = true;
};

struct GroupNormImpl : Module {
  explicit GroupNormImpl(const GroupNormOptions& options);
  GroupNormImpl(Integer num_groups, Integer num_channels)
      : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
  /// (N, num_channels, ..), of the same size
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;

  GroupNormOptions options;
  Tensor weight, bias;  // (num_channels), 1 and 0, or undefined
};

using LayerNorm = ModuleHolder<LayerNormImpl>;
using GroupNorm = ModuleHolder<GroupNormImpl>;

}  // namespace notape::nn
