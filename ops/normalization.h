// Normalisation: entries of a group are shifted and scaled to mean 0 and variance 1, then scaled by
// weight and shifted by bias, both 1 and 0 if undefined. Mean and variance (of n, not n - 1) are
// taken in two passes, in double. Not members of Tensor, as in LibTorch. Derivatives of every order
// by input, weight and bias, through mean and variance:
//   dx = r (g w - mean(g w) - x^ mean(g w x^)),  dw = sum(g x^),  db = sum(g)
// for y = x^ w + b, x^ = (x - mean) r, r = 1 / sqrt(variance + eps).
// Floating dtypes only; weight and bias have the input's, or float32 beside an input of 16 bits
// (DtypeError). The result has the input's dtype. A parameter cudnn_enabled is there for LibTorch's
// sake. All throw UndefinedTensor, DeviceError and ShapeError.
#pragma once
#include <optional>

#include "ops/at.h"

namespace notape {

/// Groups are the last dimensions, whose sizes are normalized_shape; weight and bias have that
/// shape.
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5, bool cudnn_enable = true,
                  At at = At::current());
/// input (N, C, ...), weight and bias (C): groups are num_groups parts of the channels of each
/// sample, of equal size (ShapeError).
Tensor group_norm(const Tensor& input, Integer num_groups, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5, bool cudnn_enabled = true,
                  At at = At::current());
/// input (N, C, ...), the others (C). In training groups are the channels, over all samples, and
/// running statistics, where defined, become (1 - momentum) of themselves and momentum of the
/// batch's mean and variance, of n - 1. Otherwise these statistics, which must be defined
/// (UndefinedTensor), stand for mean and variance, as constants: a gradient for them is
/// DerivativeNotImplemented. Running statistics are written last; an error leaves them as they are.
Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps, bool cudnn_enabled = true, At at = At::current());
/// input (N, C, ...), the others (C). With use_input_stats groups are the channels of each sample,
/// and running statistics are moved as by batch_norm, by the means over the samples; otherwise
/// batch_norm with them.
Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool cudnn_enabled = true, At at = At::current());
/// x weight / sqrt(mean(x^2) + eps) over the last dimensions, whose sizes are normalized_shape.
/// Without eps it is the distance from 1 to the next number of the type, of float32 for 16 bits.
Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {}, At at = At::current());
/// v g / |v| with the euclidean norm over all dimensions but dim, which g has with size 1 for the
/// others. With dim = -1, as in LibTorch, the norm of everything, and any g that broadcasts.
Tensor _weight_norm(const Tensor& v, const Tensor& g, Integer dim = 0, At at = At::current());

}  // namespace notape
