// What the normalisations share: (x - mean) / sqrt(variance + eps) weight + bias, where entries of
// a group share mean and variance, and entries of a channel weight and bias.
#pragma once
#include <array>

#include "ops/core/kernel_slot.h"
#include "ops/normalization.h"
#include "ops/normalization/running.h"

namespace notape {

/// x seen as (samples, groups, channels of a group, entries), row-major. Weight and bias, of groups
/// times channels entries, may be undefined.
struct NormalizeProblem {
  std::array<int64_t, 4> view = {1, 1, 1, 1};
  /// Statistics of each channel over samples and entries; otherwise of each sample's group.
  bool by_channel = false;
  double eps = 0;

  int64_t channels() const { return view[1] * view[2]; }
  /// How many numbers share one mean.
  int64_t averaged() const { return view[3] * (by_channel ? view[0] : view[2]); }
  /// What makes a variance of n one of n - 1.
  double unbiased() const {
    return static_cast<double>(averaged()) / static_cast<double>(averaged() - 1);
  }
  /// What reduces x to statistics, and to the gradient of weight and bias.
  DimVector statistic_dims() const { return IntArrayRef{by_channel ? 0 : 2, 3}; }
  DimVector statistic_sizes() const {
    return by_channel ? IntArrayRef{1, view[1], view[2], 1} : IntArrayRef{view[0], view[1], 1, 1};
  }
  IntArrayRef sizes() const { return {view.data(), view.size()}; }
};

/// Mean and variance (of n, not n - 1) have statistic_sizes() and no derivative.
struct Normalized {
  Tensor result, mean, variance;
};

/// Throws DtypeError unless `weight`, called `name`, is undefined or has x's dtype; float32 beside
/// 16 bits is fine, too.
void check_weight_type(const Operation& op, const Tensor& x, const Tensor& weight,
                       const char* name);

/// The result has x's shape and dtype; `node` is the name of its node. Derivatives of every order
/// by x, weight and bias. Moves the running statistics, of channels, where they are defined. Throws
/// DtypeError for an x that is not floating, or weights of another dtype (x of 16 bits takes
/// float32, too).
Normalized normalize(const Operation& op, const char* node, const Tensor& x, const Tensor& weight,
                     const Tensor& bias, const NormalizeProblem& problem,
                     const Running& running = {});

/// Row-major tensors of one floating type, the statistics float64, running ones float32 or float64.
using NormalizeKernel =
    Kernel<void(const Operation&, const Normalized& out, const Tensor& x, const Tensor& weight,
                const Tensor& bias, const NormalizeProblem& problem, const Running& running)>;
extern NormalizeKernel normalize_kernel;
/// Each where it is defined.
struct NormalizeGradients {
  Tensor x, weight, bias;
};
/// From the gradient of the result; `weight` may be undefined.
using NormalizeGradientKernel =
    Kernel<void(const Operation&, const NormalizeGradients& gradients, const Tensor& grad,
                const Tensor& x, const Tensor& weight, const Tensor& mean, const Tensor& variance,
                const NormalizeProblem& problem)>;
extern NormalizeGradientKernel normalize_gradient_kernel;

}  // namespace notape
