// BatchNorm1d and BatchNorm2d: each channel is shifted and scaled to mean 0 and variance 1 over the
// batch, then scaled by weight and shifted by bias. (Ioffe and Szegedy 2015) When trained, running
// averages move toward the batch's mean and variance (of n - 1); in eval() they are used instead.
// InstanceNorm1d and InstanceNorm2d: the same over each sample alone (Ulyanov et al. 2016), by
// default without weight and bias and without running averages.
#pragma once
#include <optional>

#include "paper_examples/nn/module.h"

namespace notape::nn {

class BatchNormOptions {
 public:
  template <WholeNumber Number>
  BatchNormOptions(Number num_features) : num_features_(Integer(num_features)) {}
  BatchNormOptions& eps(double value) { return eps_ = value, *this; }
  /// The part of the new in running averages; nullopt: the average over all batches.
  BatchNormOptions& momentum(std::optional<double> part) { return momentum_ = part, *this; }
  /// Whether there are weight and bias.
  BatchNormOptions& affine(bool on) { return affine_ = on, *this; }
  /// Whether there are running averages; without them the batch's own are always used.
  BatchNormOptions& track_running_stats(bool on) { return track_running_stats_ = on, *this; }
  int64_t num_features() const { return num_features_; }
  double eps() const { return eps_; }
  std::optional<double> momentum() const { return momentum_; }
  bool affine() const { return affine_; }
  bool track_running_stats() const { return track_running_stats_; }

 private:
  int64_t num_features_;
  double eps_ = 1e-5;
  std::optional<double> momentum_ = 0.1;
  bool affine_ = true, track_running_stats_ = true;
};

class InstanceNormOptions : public BatchNormOptions {
 public:
  template <WholeNumber Number>
  InstanceNormOptions(Number num_features) : BatchNormOptions(num_features) {
    affine(false).track_running_stats(false);
  }
};

/// What all four are; they differ in the inputs that they take.
struct BatchNormImplBase : Module {
  void pretty_print(std::ostream& out) const override;
  /// Forgets the running averages.
  void reset_running_stats() const;

  BatchNormOptions options;
  Tensor weight, bias;               // (num_features), 1 and 0, or undefined
  Tensor running_mean, running_var;  // (num_features), 0 and 1 at first, or undefined
  /// int64, 0-d, or undefined. Training counts on the CPU, wherever the rest is.
  Tensor num_batches_tracked;

 protected:
  BatchNormImplBase(const char* name, const BatchNormOptions& options);
  Tensor normalize(const Tensor& input) const;
  /// Each sample alone; the input without a batch has `dims - 1` dimensions.
  Tensor normalize_samples(const Tensor& input, int64_t dims) const;

 private:
  bool uses_input() const { return is_training() || !options.track_running_stats(); }
  /// Counts the batch; the part of the new in running averages.
  double next_momentum() const;
};

struct BatchNorm1dImpl : BatchNormImplBase {
  BatchNorm1dImpl(const BatchNormOptions& o) : BatchNormImplBase("BatchNorm1d", o) {}
  /// (N, C) or (N, C, L), of the same size. Throws ShapeError for others.
  Tensor forward(const Tensor& input) const;
};
struct BatchNorm2dImpl : BatchNormImplBase {
  BatchNorm2dImpl(const BatchNormOptions& o) : BatchNormImplBase("BatchNorm2d", o) {}
  /// (N, C, H, W), of the same size. Throws ShapeError for others.
  Tensor forward(const Tensor& input) const;
};

struct InstanceNorm1dImpl : BatchNormImplBase {
  template <WholeNumber Number>
  InstanceNorm1dImpl(Number num_features) : InstanceNorm1dImpl(InstanceNormOptions(num_features)) {}
  InstanceNorm1dImpl(const BatchNormOptions& o) : BatchNormImplBase("InstanceNorm1d", o) {}
  /// (N, C, L) or (C, L), of the same size. Throws ShapeError for others.
  Tensor forward(const Tensor& input) const { return normalize_samples(input, 3); }
};
struct InstanceNorm2dImpl : BatchNormImplBase {
  template <WholeNumber Number>
  InstanceNorm2dImpl(Number num_features) : InstanceNorm2dImpl(InstanceNormOptions(num_features)) {}
  InstanceNorm2dImpl(const BatchNormOptions& o) : BatchNormImplBase("InstanceNorm2d", o) {}
  /// (N, C, H, W) or (C, H, W), of the same size. Throws ShapeError for others.
  Tensor forward(const Tensor& input) const { return normalize_samples(input, 4); }
};

using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm1d = ModuleHolder<BatchNorm1dImpl>;
using BatchNorm2d = ModuleHolder<BatchNorm2dImpl>;
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm1d = ModuleHolder<InstanceNorm1dImpl>;
using InstanceNorm2d = ModuleHolder<InstanceNorm2dImpl>;

}  // namespace notape::nn
