// Steps of optimizers over lists of tensors, in one pass over all memory whatever the number of
// tensors. They write into parameters and states, record nothing (call them in a NoGradGuard) and
// are not members. Lists are of one length; what stands at one place of all has one size, floating
// dtype and device (ShapeError, DtypeError, DeviceError), and is computed in that dtype, 16 bits in
// float32. No two of what is written overlap. `steps` says, from 1, which step of that tensor this
// is. All throw UndefinedTensor and what any in-place operator throws; then nothing has changed.
//
// In formulas g is the gradient, negated with maximize, plus weight_decay p.
#pragma once
#include "ops/at.h"

namespace notape {

/// buffer = momentum buffer + (1 - dampening) g, in the first step g; with nesterov then
/// g + momentum buffer instead; p -= lr buffer. Without momentum p -= lr g.
struct SgdStep {
  double lr, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};
/// `buffers` may be empty without momentum.
void multi_tensor_sgd_(const TensorList& parameters, const TensorList& gradients,
                       const TensorList& buffers, const SgdStep& step, IntArrayRef steps,
                       At at = At::current());

/// averages m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2;
/// p -= lr / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + eps). (Kingma and Ba 2015)
/// With amsgrad the largest v so far. With decoupled weight decay (AdamW, Loshchilov and Hutter
/// 2019) g has none, and p shrinks by lr weight_decay p first.
struct AdamStep {
  double lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, maximize = false, decoupled_weight_decay = false;
};
/// `largest` may be empty without amsgrad.
void multi_tensor_adam_(const TensorList& parameters, const TensorList& gradients,
                        const TensorList& averages, const TensorList& squares,
                        const TensorList& largest, const AdamStep& step, IntArrayRef steps,
                        At at = At::current());

/// v = alpha v + (1 - alpha) g^2; p -= lr g / (sqrt(v) + eps). (Hinton 2012) If centered, v less
/// the square of the average of g; with momentum buffer = momentum buffer + g / (..), p -= lr
/// buffer.
struct RmspropStep {
  double lr, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false, maximize = false;
};
/// `averages` may be empty unless centered, `buffers` without momentum.
void multi_tensor_rmsprop_(const TensorList& parameters, const TensorList& gradients,
                           const TensorList& squares, const TensorList& averages,
                           const TensorList& buffers, const RmspropStep& step, IntArrayRef steps,
                           At at = At::current());

/// sum += g^2; p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(sum) + eps). (Duchi et al. 2011)
struct AdagradStep {
  double lr, lr_decay = 0, eps = 1e-10, weight_decay = 0;
  bool maximize = false;
};
void multi_tensor_adagrad_(const TensorList& parameters, const TensorList& gradients,
                           const TensorList& sums, const AdagradStep& step, IntArrayRef steps,
                           At at = At::current());

/// Each tensor times the factor, a number or a tensor of one element on their device, in place.
void _foreach_mul_(const TensorList& tensors, Scalar factor, At at = At::current());
void _foreach_mul_(const TensorList& tensors, const Tensor& factor, At at = At::current());

/// Throws what a step with these states would throw, and moves nothing: before several steps of
/// which all or none are to happen. Lists of states that there are not may be empty.
void check_multi_tensor(const TensorList& parameters, const TensorList& gradients,
                        const std::vector<TensorList>& states, IntArrayRef steps,
                        At at = At::current());

}  // namespace notape
