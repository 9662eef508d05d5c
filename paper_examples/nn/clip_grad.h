// Gradients that are too large, made smaller before a step (LibTorch's torch::nn::utils). Tensors
// without a gradient do not count; gradients are changed in place, unrecorded. If one must not
// be written (it is expanded: MemoryOverlap; read-only memory) it throws, and none has changed.
#pragma once
#include <vector>

#include "autograd/autograd.h"

namespace notape::nn::utils {

/// All gradients are scaled by min(1, max_norm / (norm + 1e-6)), with the norm of order norm_type
/// (2, or any other, infinity too) of all of them as one vector, which is returned. (Pascanu et al.
/// 2013) With error_if_nonfinite an infinite or NaN norm throws ValueError, and nothing has
/// changed.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2,
                       bool error_if_nonfinite = false);
inline double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2,
                              bool error_if_nonfinite = false) {
  return clip_grad_norm_(std::vector<Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}

/// In two steps, as PyTorch has them, neither of which waits for a GPU: the norm, 0-d and float64,
/// of all tensors as one vector, and gradients scaled as above by a norm that is known.
Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type = 2);
void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm,
                           const Tensor& total_norm);

/// Each entry is clamped to [-clip_value, clip_value].
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(std::vector<Tensor>{parameter}, clip_value);
}

}  // namespace notape::nn::utils
